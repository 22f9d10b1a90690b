# nsq-nccl: what does each collective move, how fast, and who keeps whom waiting?
load ../helper

RANKS=("$FIXTURES"/collectives-rank{0,1,2,3}.sqlite)

SUMS='comm op bytes count total_ns wait_ns transfer_ns exposed_ns'

# ---- the traces of four ranks, and of four in one

@test "who keeps whom waiting in four traces of one job" {
	same "$(printf '%s\t%s\t%s\t%s\t%s\n' 3 76 33 95426366 13766995 2 76 30 51176525 59386022 1 76 42 38287583 51188344 \
		0 76 31 7132009 67681122)" "$(nsq-nccl -q --last "${RANKS[@]}" | col rank ops last_ops caused_ns wait_ns)"
}

@test "the same from one trace that holds all four" {
	python3 "$TESTS/nccl/variants.py" merge "${RANKS[@]}" "$BATS_TEST_TMPDIR"
	same "$(nsq-nccl -q --last "${RANKS[@]}" | col pid ops last_ops caused_ns wait_ns transfer_ns comm_ns)" \
		"$(nsq-nccl -q --last "$BATS_TEST_TMPDIR/merged.sqlite" | col pid ops last_ops caused_ns wait_ns transfer_ns comm_ns)"
}

@test "the first collective of rank 0 waits for rank 1" {
	same "$(printf 'allreduce\t1048576\tf1705e1de29b0036\t0\t2\t1\t11483523\t658014')" \
		"$(nsq-nccl -q --each -n 1 "${RANKS[@]}" | where rank 0 | col op bytes comm seq ranks last wait_ns transfer_ns)"
}

@test "all 304 kernels are matched, and by UTC no collective that needs all its ranks ends before the last arrives" {
	run --separate-stderr nsq-nccl --each "${RANKS[@]}"
	same 304 "$(count <<< "$output")"
	same 0 "$(where last - <<< "$output" | count)"
	[[ "$stderr" != *"shifted"* && "$stderr" != *"matched"* ]]
	# each kernel on the clock of UTC: the latest start of a collective is not after its earliest end
	for r in "${RANKS[@]}"; do sql "$r" "SELECT '$r', utcEpochNs FROM TARGET_INFO_SESSION_START_TIME"; done > "$BATS_TEST_TMPDIR/utc"
	same "109 0" "$(col trace comm seq op start_ns end_ns <<< "$output" | awk -F '\t' '
		NR == FNR { utc[$1] = $2 - 1794728125000000000; next }
		$4 ~ /^(allreduce|allgather|reducescatter|alltoall)$/ { k = $2 " " $3; a = $5 + utc[$1]; b = $6 + utc[$1]
			if (!(k in last) || a > last[k]) last[k] = a; if (!(k in first) || b < first[k]) first[k] = b }
		END { for (k in last) { n++; bad += last[k] > first[k] } print n, bad + 0 }' "$BATS_TEST_TMPDIR/utc" -)"
}

@test "four ranks in one trace: all 300 kernels are matched" {
	same "$(printf '2\t75\t224616456\n1\t75\t223883597')" \
		"$(nsq-nccl -q --last "$DUALPIPE" | col rank ops caused_ns | head -2)"
	same "75 75 75 75" "$(nsq-nccl -q --each "$DUALPIPE" | awk -F '\t' 'NR > 1 && $10 != "-" { n[$1]++ } END { for (p in n) print n[p] }' | paste -sd ' ')"
}

# ---- invariants

@test "waits and transfers add up to the kernels, and what is caused to what is waited" {
	nsq-nccl -q --each "${RANKS[@]}" > "$BATS_TEST_TMPDIR/each"
	same "" "$(col dur_ns wait_ns transfer_ns < "$BATS_TEST_TMPDIR/each" | awk '$1 != $2 + $3')"
	each=$(sum dur_ns wait_ns transfer_ns exposed_ns < "$BATS_TEST_TMPDIR/each")
	for by in "" "--by comm" "--by op" "--by bytes" "--by stage" "--by pid" "--by stage,op"; do
		same "$each" "$(nsq-nccl -q $by "${RANKS[@]}" | sum total_ns wait_ns transfer_ns exposed_ns)"
	done
	same "$(cut -f1-3 <<< "$each")" "$(nsq-nccl -q --stragglers "${RANKS[@]}" | sum comm_ns wait_ns transfer_ns)"
	same "$(cut -f2 <<< "$each")" "$(nsq-nccl -q --last "${RANKS[@]}" | sum caused_ns)"
}

@test "the time and what is exposed are those of nsq-overlap, stage by stage" {
	for t in "${RANKS[0]}" "$DUALPIPE" "$DDP"; do
		same "$(nsq-overlap -q "$t" | col pid stage comm_ns exposed_ns | sort)" \
			"$(nsq-nccl -q --by stage "$t" | col pid stage total_ns exposed_ns | sort)"
	done
	same "$(nsq-overlap -q --each "$DUALPIPE" | col pid start_ns end_ns stream dur_ns exposed_ns name | sort)" \
		"$(nsq-nccl -q --each "$DUALPIPE" | col pid start_ns end_ns stream dur_ns exposed_ns name | sort)"
}

# bats test_tags=long
@test "bytes are those of the payloads" {
	holds "$(nsq-nccl --columns | where name bytes | col meaning)" "for all-gather, reduce-scatter, all-to-all, gather and scatter, of one rank's part"
	# in the fixture a payload's fields follow a header of 32 bytes: the communicator, then the size
	t=${RANKS[2]}
	same "$(sql "$t" "SELECT hex(binaryData) FROM NVTX_EVENTS WHERE binaryData NOT NULL AND textId IN
			(SELECT id FROM StringIds WHERE value IN ('ncclAllReduce', 'ncclAllGather', 'ncclReduceScatter', 'ncclAlltoAll',
			'ncclBroadcast'))" | while read -r hex; do
			little=${hex:80:16} id=${hex:64:16}
			printf '%d\t%s\n' "0x$(command fold -w2 <<< "$little" | tac | tr -d '\n')" "$(command fold -w2 <<< "$id" | tac | tr -d '\n' | tr A-F a-f)"
		done | sort)" \
		"$(nsq-nccl -q --each "$t" | awk -F '\t' 'NR > 1 && $17 != "sendrecv"' | cut -f14,18 | awk -F '\t' -v OFS='\t' '{ print $2, $1 }' | sort)"
}

@test "rates are those of NCCL's own tests: bytes times a factor of the number of ranks over the time of transfer" {
	nsq-nccl -q --each "${RANKS[@]}" | col op bytes ranks transfer_ns bus_gbps > "$BATS_TEST_TMPDIR/rates"
	same "$(cut -f1 "$BATS_TEST_TMPDIR/rates" | sort -u | paste -sd ' ')" "allgather allreduce alltoall broadcast reducescatter sendrecv"
	awk -F '\t' '{ n = $3; f = $1 == "allreduce" ? 2 * (n - 1) / n : $1 ~ /^(allgather|reducescatter|alltoall)$/ ? n - 1 : 1
		x = $2 * f / $4; if (x - $5 > 0.0051 || $5 - x > 0.0051) { print; bad = 1 } } END { exit bad }' "$BATS_TEST_TMPDIR/rates"
	# in a sum, all bytes over all transfers
	nsq-nccl -q --by op,comm "${RANKS[@]}" | where op allgather | col bus_gbps transfer_ns comm > "$BATS_TEST_TMPDIR/sums"
	nsq-nccl -q --each "${RANKS[@]}" | where op allgather | awk -F '\t' 'NR > 1 { k = $1 " " $14; b[k] += $18 * ($16 - 1); t[k] += $11 }
		END { for (k in b) printf "%.2f\t%d\t%s\n", b[k] / t[k], t[k], substr(k, index(k, " ") + 1) }' | sort > "$BATS_TEST_TMPDIR/by-hand"
	same "$(cat "$BATS_TEST_TMPDIR/by-hand")" "$(sort "$BATS_TEST_TMPDIR/sums")"
}

# ---- windows

@test "the steady state: all steps after the first, merged; most of what rank 3 causes lies in the first" {
	same 38206130 "$(nsq-window -q --pick all --skip 1 --period "${RANKS[@]}" | nsq-nccl -q --merge --last | where rank 3 | col caused_ns)"
	same 57022599 "$(nsq-window -q --pick first --skip 0 --period "${RANKS[@]}" | nsq-nccl -q --last | where rank 3 | col caused_ns)"
}

@test "step by step: the parts of the merged answer, with the worst rank of each step first" {
	steps=$(nsq-window -q --pick all --skip 1 --period "${RANKS[@]}")
	nsq-nccl -q --last <<< "$steps" > "$BATS_TEST_TMPDIR/steps"
	same "$(nsq-nccl -q --merge --last <<< "$steps" | col rank caused_ns wait_ns transfer_ns comm_ns | sort)" \
		"$(col rank caused_ns wait_ns transfer_ns comm_ns < "$BATS_TEST_TMPDIR/steps" | awk -F '\t' -v OFS='\t' '
			{ a[$1] += $2; b[$1] += $3; c[$1] += $4; d[$1] += $5 } END { for (r in a) print r, a[r], b[r], c[r], d[r] }' | sort)"
	# four rows for each step, in order of what they cause
	same "" "$(col window caused_ns < "$BATS_TEST_TMPDIR/steps" | sed 's/@.*\t/\t/' | awk -F '\t' '
		(NR - 1) % 4 && ($1 != name || $2 > caused) { print NR ": " $0 } { name = $1; caused = $2 }')"
	same 10 "$(nsq-nccl -q --last -n 1 <<< "$steps" | count)"
}

@test "a window cuts wait and transfer at its edges, and keeps who was last" {
	# the first kernel of rank 0, 16126157..28267694, waits until 27609680
	at() { nsq-nccl -q --each -w "$1" -p 4731 "${RANKS[@]}" | where seq 0 | where op allreduce | head -2 | col dur_ns wait_ns transfer_ns last bus_gbps; }
	same "$(printf '1000000\t1000000\t0\t1\t1.59')" "$(at 17126157..18126157)"
	same "$(printf '1000000\t609680\t390320\t1\t1.59')" "$(at 27000000..28000000)"
	same "$(printf '267694\t0\t267694\t1\t1.59')" "$(at 28000000..28300000)"
}

@test "the worst kernel, piped into other tools" {
	worst=$(nsq-nccl -q --each "${RANKS[@]}" | sort -t "$TAB" -k10,10nr | head -1)
	same "$(cut -f1,3,4,9 <<< "$worst")" "$(nsq-overlap -q --each <<< "$worst" | col pid start_ns end_ns dur_ns | sort -t "$TAB" -k4,4nr | head -1)"
}

# ---- what stderr says

@test "what is not matched is counted, and waiting for ranks that are not there is not claimed" {
	run --separate-stderr nsq-nccl --last "${RANKS[0]}"
	same 0 "$status"
	holds "$stderr" "76 of 76 communication kernels match none"
	same "$(printf '76\t0\t0\t0')" "$(col ops last_ops caused_ns wait_ns <<< "$output")"
	same "- -" "$(nsq-nccl -q --each -n 1 "${RANKS[0]}" | col wait_ns last | tr '\t' ' ')"
}

@test "ranks of different traces on one GPU are warned of" {
	run --separate-stderr nsq-nccl "${RANKS[@]}"
	holds "$stderr" "ranks 0, 1, 2, 3 of different traces share one GPU"
	for r in 0 1 2 3; do
		cp "${RANKS[r]}" "$BATS_TEST_TMPDIR/$r.sqlite"
		sqlite3 "$BATS_TEST_TMPDIR/$r.sqlite" "UPDATE TARGET_INFO_GPU SET busLocation = '0000:0$r:00.0'"
	done
	run --separate-stderr nsq-nccl "$BATS_TEST_TMPDIR"/[0123].sqlite
	same "" "$stderr"
}

@test "waiting for a process that was not asked about is not lost silently" {
	run --separate-stderr nsq-nccl --stragglers -p 4731 "${RANKS[@]}"
	same 1 "$(count <<< "$output")"
	holds "$stderr" "67.681 ms were spent waiting for processes that no window covers"
}

@test "no communication: no rows, and stderr says why" {
	for mode in "" --each "--by stage"; do
		run --separate-stderr nsq-nccl $mode "$COMPILE"
		same 0 "$status"
		holds "$stderr" "no communication kernel"
	done
	same 0 "$(nsq-nccl -q "$COMPILE" | count)"
	same "0 0" "$(nsq-nccl -q --stragglers "$COMPILE" | col ops comm_ns | tr '\t' ' ')"
}

@test "a copy of a rank among the traces is noticed" {
	cp "${RANKS[0]}" "$BATS_TEST_TMPDIR/copy.sqlite"
	run --separate-stderr nsq-nccl "${RANKS[0]}" "${RANKS[1]}" "$BATS_TEST_TMPDIR/copy.sqlite"
	holds "$stderr" "rank 0 is in '${RANKS[0]}' and in '$BATS_TEST_TMPDIR/copy.sqlite'" "give each rank once"
	same 1 "$(grep -c "give each rank once" <<< "$stderr")"
	lacks "$(nsq-nccl "${RANKS[@]}" "$DUALPIPE" 2>&1 >/dev/null)" "same communicator"
}

@test "a window table without rows is said to have none, and nothing else" {
	run --separate-stderr nsq-nccl <<< $'start_ns\tend_ns\ttrace'
	same "nsq-nccl: the window table has no rows, so there is nothing to answer" "$stderr"
}

@test "options without effect in the mode are refused" {
	for bad in "--each --by op" "--stragglers --by op" "--each --rules stages" "--stragglers --adopt" "--each --stragglers"; do
		run nsq-nccl $bad "${RANKS[0]}"
		same 2 "$status"
	done
	run nsq-nccl --clock sun "${RANKS[0]}"
	same 2 "$status"
	holds "$output" "'sun'" "ends"
}

@test "events before time 0 precede the capture" {
	t=$BATS_TEST_TMPDIR/early.sqlite
	cp "${RANKS[1]}" "$t"
	chmod u+w "$t"
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start - 25000000, end = end - 25000000;
		UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start - 25000000, end = end - 25000000;
		UPDATE NVTX_EVENTS SET start = start - 25000000, end = end - 25000000;
		UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + 25000000"
	left=$(sql "$t" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = shortName WHERE value LIKE 'nccl%' AND start >= 0")
	[ "$left" -gt 60 ]
	[ "$left" -lt 76 ]
	nsq-nccl -q --each "${RANKS[0]}" "$t" "${RANKS[2]}" "${RANKS[3]}" > "$BATS_TEST_TMPDIR/rows"
	same "$left" "$(where pid 4736 < "$BATS_TEST_TMPDIR/rows" | count)"
	# of a kernel whose launch came before 0 only its name is known; the others wait as they did
	[ "$(where pid 4736 < "$BATS_TEST_TMPDIR/rows" | where launch_ns - | count)" -gt 0 ]
	same "- -" "$(where pid 4736 < "$BATS_TEST_TMPDIR/rows" | where launch_ns - | col comm wait_ns | sort -u | tr '\t' ' ')"
	same "$(nsq-nccl -q --each "${RANKS[@]}" | where pid 4736 | where op allgather | col dur_ns wait_ns | tail -4)" \
		"$(where pid 4736 < "$BATS_TEST_TMPDIR/rows" | where op allgather | col dur_ns wait_ns | tail -4)"
}

# ---- jobs of a few operations, each written out

# ops LINE...: their traces, in the folder of the test.
ops() { python3 "$TESTS/nccl/ops.py" "$BATS_TEST_TMPDIR" <<< "$1"; }

@test "containers: processes with one pid and no rank are told apart by their traces" {
	cd "$BATS_TEST_TMPDIR"
	ops 'a    1 - AllReduce:8 5 1000000 2000000
	     b    1 - AllReduce:8 5 1400000 2000000
	     c    7 - AllReduce:8 5 1300000 2000000
	     n0/x 1 - AllReduce:8 5 1000000 2000000
	     n1/x 1 - AllReduce:8 5 1500000 2000000
	     d    9 1 AllReduce:8 5 1600000 2000000
	     e    1 - AllReduce:8 5 1700000 2000000'
	same "$(printf '1@b.sqlite\n1@b.sqlite\n1@b.sqlite')" "$(nsq-nccl -q --each a.sqlite b.sqlite c.sqlite | col last)"
	same "$(printf 'b.sqlite\t500000')" "$(nsq-nccl -q --last -n 1 a.sqlite b.sqlite c.sqlite | col trace caused_ns)"
	# a pid that only one process has stays as it is
	same "$(printf '7\n7')" "$(nsq-nccl -q --each a.sqlite c.sqlite | col last)"
	# the same file name in two folders
	same "$(printf '1@n1/x.sqlite\n1@n1/x.sqlite')" "$(nsq-nccl -q --each n0/x.sqlite n1/x.sqlite | col last)"
	# pid 1 is not taken for rank 1
	same "$(printf '1\n1')" "$(nsq-nccl -q --each a.sqlite d.sqlite | col last)"
	same "$(printf '1@e.sqlite\n1@e.sqlite')" "$(nsq-nccl -q --each d.sqlite e.sqlite | col last)"
}

@test "a group in which a member has no payload: its communicator is not known, so it is matched with nothing" {
	ops 't 10 0 AllReduce:8 5 1000000 2000000
	     t 11 1 AllReduce:8 5 1500000 2000000
	     t 10 0 AllReduce:8+AllReduce 5 3000000 4000000
	     t 11 1 AllReduce:8+AllReduce 5 3500000 4000000'
	same "$(printf '%s\t%s\t%s\t%s\n' 0000000000000005 8 500000 1 - - - - 0000000000000005 8 0 1 - - - -)" \
		"$(nsq-nccl -q --each "$BATS_TEST_TMPDIR/t.sqlite" | col comm bytes wait_ns last)"
}

@test "stragglers: where processes have different numbers of windows, those of one name belong together" {
	ops 't 10 0 AllReduce:8 5 1000000 1900000
	     t 11 1 AllReduce:8 5 1100000 1900000
	     t 10 0 AllReduce:8 5 3000000 3900000
	     t 11 1 AllReduce:8 5 3500000 3900000'
	t=$BATS_TEST_TMPDIR/t.sqlite
	{
		printf 'pid\tstart_ns\tend_ns\twindow\ttrace\n'
		printf '%s\t%s\t%s\t%s\t%s\n' 10 0 2000000 one "$t" 10 2000000 4000000 two "$t" 11 2000000 4000000 two "$t"
	} > "$BATS_TEST_TMPDIR/w"
	same "$(printf '%s\t%s\t%s\n' 10 one 0 11 two 500000 10 two 0)" \
		"$(nsq-nccl -q --last -w "$BATS_TEST_TMPDIR/w" | col pid window caused_ns)"
}

@test "the factors of bus_gbps on three ranks" {
	ops "$(i=0; for op in AllReduce AllGather ReduceScatter AlltoAll Gather Scatter Broadcast Reduce; do
		for r in 0 1 2; do echo "t $((10 + r)) $r $op:3000 5 $((1000000 + i * 100000)) $((1010000 + i * 100000))"; done
		i=$((i + 1))
	done)"
	same "$(printf '%s\n' 0.40 0.60 0.60 0.60 0.60 0.60 0.30 0.30)" \
		"$(nsq-nccl -q --each -p 10 "$BATS_TEST_TMPDIR/t.sqlite" | col bus_gbps)"
}
