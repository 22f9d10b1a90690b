# nsq-nccl on altered copies of four ranks and on jobs whose course is known.  oracle/nccl.py computes every row a second
# time, slowly and from the definitions; variants.py alters the traces; generate.py makes jobs, and says what is true.
# bats file_tags=more
load ../helper

MODES=(--each)
if more; then MODES+=(""); fi
RANKS=("$FIXTURES"/collectives-rank{0,1,2,3}.sqlite)

# alter VARIANT [OPTION...]: copies of the four ranks in $V.
alter() {
	V=$BATS_TEST_TMPDIR/$1
	mkdir -p "$V"
	python3 "$TESTS/nccl/variants.py" "$1" "${@:2}" "${RANKS[@]}" "$V"
}


# agrees TRACE...: the modes print what the second reading does.
agrees() {
	for mode in "${MODES[@]}"; do
		oracle nccl $mode "$@" > "$BATS_TEST_TMPDIR/reading" 2>/dev/null
		nsq-nccl -v $mode "$@" 2> "$BATS_TEST_TMPDIR/said" > "$BATS_TEST_TMPDIR/tool"
		diff "$BATS_TEST_TMPDIR/reading" "$BATS_TEST_TMPDIR/tool" || { echo "mode: $mode"; return 1; }
	done
}

said() { holds "$(cat "$BATS_TEST_TMPDIR/said")" "$@"; }
matched() { nsq-nccl -q --each "$@" | awk -F '\t' 'NR > 1 && $10 != "-"' | wc -l; }

# waits FILE...: pid, start and wait of each kernel, in order.
waits() { nsq-nccl -q --each "$@" | col pid start_ns wait_ns | sort; }

# bats test_tags=slow
@test "the traces as they are, in every mode" {
	MODES=(--each "--last" "--by comm,pid")
	if more; then MODES+=("" "--by op" "--by stage" "--each --clock ends"); fi
	agrees "${RANKS[@]}"
	if more; then
		agrees "$DUALPIPE"
		agrees "$DDP"
	else
		MODES=(--each)
	fi
	agrees "${RANKS[3]}" "${RANKS[1]}" "${RANKS[0]}" "${RANKS[2]}"
}

# bats test_tags=slow
@test "windows, with and without --merge" {
	nsq-window -q --pick all --steady --period "${RANKS[@]}" > "$BATS_TEST_TMPDIR/steps"
	for mode in --each "" "--last"; do
		for merge in "" --merge; do
			same "$(oracle nccl $mode $merge -w "$BATS_TEST_TMPDIR/steps" "${RANKS[@]}" 2>/dev/null | cut -f1-11)" \
				"$(nsq-nccl -q $mode $merge < "$BATS_TEST_TMPDIR/steps" | cut -f1-11)"
			more || [ "$mode" = --each ] || continue
			same "$(oracle nccl $mode $merge -w 20000000..60000000 "${RANKS[@]}" 2>/dev/null)" \
				"$(nsq-nccl -q $mode $merge -w 20000000..60000000 "${RANKS[@]}")"
		done
	done
}

# ---- clocks

@test "a clock that is 5 ms off is brought back by the ends of collectives" {
	alter moved
	agrees "$V"/*.sqlite
	said "collectives-rank1.sqlite' is shifted by -4.998 ms against" "collectives-rank0.sqlite'" \
		"then end within"
	# waits agree with those of the traces that were not moved, to 0.2 ms
	same 304 "$(paste <(waits "${RANKS[@]}") <(waits "$V"/*.sqlite) | awk -F '\t' '{ d = $3 - $6 } $1 == $4 && $2 == $5 && d < 2e5 && d > -2e5' | wc -l)"
}

# bats test_tags=slow
@test "traces of different hosts are aligned by ends, moved or not" {
	for v in hosts hosts-moved; do
		alter $v
		agrees "$V"/*.sqlite
		same 3 "$(nsq-nccl -v "$V"/*.sqlite 2>&1 >/dev/null | grep -c ' is shifted by ')"
		same 304 "$(paste <(waits "${RANKS[@]}") <(waits "$V"/*.sqlite) | awk -F '\t' '{ d = $3 - $6 } $1 == $4 && $2 == $5 && d < 2e5 && d > -2e5' | wc -l)"
	done
}

@test "--clock chooses: utc as it is, ends, or none" {
	alter moved
	for clock in $(first_few 1 utc ends none); do
		same "$(oracle nccl --each --clock $clock "$V"/*.sqlite 2>/dev/null)" \
			"$(nsq-nccl -q --each --clock $clock "$V"/*.sqlite)"
	done
	# by a wrong clock operations are paired all the same, but waits are wrong
	same 304 "$(matched --clock utc "$V"/*.sqlite)"
	[ "$(nsq-nccl -q --stragglers --clock utc "$V"/*.sqlite | sum wait_ns)" != "$(nsq-nccl -q --stragglers "${RANKS[@]}" | sum wait_ns)" ]
}

@test "a trace that does not say when it began: stderr says what is assumed" {
	alter no-start-time
	run --separate-stderr nsq-nccl --stragglers "$V"/*.sqlite
	holds "$stderr" "is shifted by"
	same 304 "$(matched "$V"/*.sqlite)"
	same 304 "$(paste <(waits "${RANKS[@]}") <(waits "$V"/*.sqlite) | awk -F '\t' '{ d = $3 - $6 } $1 == $4 && $2 == $5 && d < 2e5 && d > -2e5' | wc -l)"
	run --separate-stderr nsq-nccl --clock utc "$V"/*.sqlite
	holds "$stderr" "collectives-rank1.sqlite' does not say when its capture began; its times are taken as they are"
}

@test "many clocks are said in one line" {
	python3 "$TESTS/nccl/generate.py" 12 "$BATS_TEST_TMPDIR" --hosts 12 --steps 6 --seed 1
	run --separate-stderr nsq-nccl "$BATS_TEST_TMPDIR"/*.sqlite
	same 1 "$(grep -c shifted <<< "$stderr")"
	holds "$stderr" "the clocks of 11 traces are shifted by"
}

# ---- captures that do not cover the same stretch

@test "a rank without its first or last operations is matched by shifting" {
	for v in $(first_few 1 cut-first cut-last); do
		alter $v
		agrees "$V"/*.sqlite
		said "match none" "matched without ranks"
		# what is left is matched as it was, with the same waits unless the rank that is missing was the last
		[ "$(matched "$V"/*.sqlite)" -ge 295 ]
	done
}

@test "a rank whose sizes do not agree is said to be unmatched, and is never paired" {
	alter sizes-altered
	agrees "$V"/*.sqlite
	said "on 2 communicators 2 processes match no other"
	same 0 "$(nsq-nccl -q --each "$V"/*.sqlite | where rank 1 | where op allreduce | awk -F '\t' 'NR > 1 && $10 != "-"' | wc -l)"
}

# bats test_tags=slow
@test "an operation lost in the middle leaves its communicator unmatched for that process" {
	alter cut-middle --count 20
	agrees "$V"/*.sqlite
}

@test "a rank that is not given: the others are matched, and its peers' messages are not" {
	alter leave-out
	agrees "$V"/*.sqlite
	same 12 "$(nsq-nccl -q --each "$V"/*.sqlite | where rank 3 | where op sendrecv | where last - | count)"
}

@test "where the creation says how many ranks there are, the others' are said to be missing" {
	python3 "$TESTS/nccl/generate.py" 4 "$BATS_TEST_TMPDIR" --created --missing 2 --seed 1
	run --separate-stderr nsq-nccl --each "$BATS_TEST_TMPDIR"/*.sqlite
	n=$(awk -F '\t' 'NR > 1 && $10 != "-"' <<< "$output" | wc -l)
	[ "$n" -gt 0 ]
	same 4 "$(awk -F '\t' 'NR > 1 && $10 != "-" { print $16 }' <<< "$output" | sort -u)"
	holds "$stderr" "$n kernels are matched without ranks"
}

# ---- payloads

@test "payloads are read by the names of their fields" {
	for v in $(first_few 1 fields-reordered schema-repeated shuffled); do
		alter $v
		same "$(nsq-nccl -q --each "${RANKS[@]}" | sed 's,\t[^\t]*/,\t,')" "$(nsq-nccl -q --each "$V"/*.sqlite | sed 's,\t[^\t]*/,\t,')"
	done
}

@test "NCCL's ranges are read whatever the number of its domain, be it that of the default one" {
	alter default-domain
	same "$(nsq-nccl -q --each "${RANKS[@]}" | cut -f1-20)" "$(nsq-nccl -q --each "$V"/*.sqlite | cut -f1-20)"
	same "$(nsq-overlap -q "${RANKS[@]}" | rev | cut -f2- | rev)" "$(nsq-overlap -q "$V"/*.sqlite | rev | cut -f2- | rev)"
}

@test "payloads that are JSON say the same, in the text or as a registered string" {
	alter json-texts
	same "$(nsq-nccl -q --each "${RANKS[@]}" | sed 's,\t[^\t]*/,\t,')" "$(nsq-nccl -q --each "$V"/*.sqlite | sed 's,\t[^\t]*/,\t,')"
	same "" "$(nsq-nccl --each "$V"/*.sqlite 2>&1 >/dev/null | grep payloads)"
}

# bats test_tags=more
@test "payloads that cannot be read: -, with one note" {
	for v in $(first_few 2 payload-short no-schemas json-cut header-short no-schema schema-disagrees); do
		alter $v
		if more || [ $v = payload-short ]; then agrees "$V"/*.sqlite; else nsq-nccl -v "$V"/*.sqlite 2> "$BATS_TEST_TMPDIR/said" > "$BATS_TEST_TMPDIR/tool"; fi
		same 1 "$(grep -c "NCCL's payloads" "$BATS_TEST_TMPDIR/said")"
		case $v in *short | *cut) said "are cut short" ;; *) said "no schema or two that disagree" ;; esac
	done
}

@test "JSON without a communicator is passed over, unless it is cut short, be it where an object in it ends" {
	t=$(change "${RANKS[0]}" "UPDATE NVTX_EVENTS SET binaryData = NULL, jsonText = CASE rowid % 4
		WHEN 0 THEN '{\"a\": {\"b\": 1}' WHEN 1 THEN '{\"a\": {\"b\": 1}}' WHEN 2 THEN '{\"{\\\"{\": 1}' ELSE '{\"a}' END WHERE binaryData NOT NULL")
	cut=$(sqlite3 "$t" "SELECT count(*) FROM NVTX_EVENTS WHERE jsonText NOT NULL AND NOT json_valid(jsonText)")
	holds "$(nsq-nccl "$t" 2>&1 >/dev/null)" "$cut of NCCL's payloads in "
}

# ---- no payloads: operations are matched by their order

# The kernels that are matched, with what is said of them; those of TRACE... are the same as by payloads.
told() { nsq-nccl -q --each "$@" | sed 's,[^\t]*/,,' | awk -F '\t' 'NR > 1 && $10 != "-" { print $2, $3, $7, $10, $19, $22 }' | sort; }

@test "without payloads, processes that share a GPU and whose ends say too little stay unmatched" {
	alter no-payloads
	cp "$DUALPIPE" "$V/dualpipe.sqlite"
	chmod u+w "$V/dualpipe.sqlite"
	sqlite3 "$V/dualpipe.sqlite" "UPDATE NVTX_EVENTS SET binaryData = NULL"
	same "" "$(comm -23 <(told "$V"/coll*.sqlite) <(told "${RANKS[@]}"))"
	same "" "$(comm -23 <(told "$V/dualpipe.sqlite" | sed 's/ [^ ]*$//') <(told "$DUALPIPE" | sed 's/ [^ ]*$//'))"
	run --separate-stderr nsq-nccl --each "$V"/coll*.sqlite
	holds "$stderr" "operations could not be matched by order: it is not clear which ranks took part in each"
	same "alltoall sendrecv allreduce - 0" "$(nsq-nccl -q --each "$DUALPIPE_2023" | col op | awk '!s[$0]++' | paste -sd ' ') \
$(nsq-nccl -q --each "$DUALPIPE_2023" | col comm | sort -u) $(matched "$DUALPIPE_2023")"
}

# bats test_tags=slow
@test "without payloads, in generated jobs nothing is matched that is not one, and something is" {
	python3 "$TESTS/nccl/order.py" --seeds "$(seeds 23 9 500 | head -1)..$(seeds 23 9 500 | tail -1)" | tee "$BATS_TEST_TMPDIR/said"
	[[ "$(tail -1 "$BATS_TEST_TMPDIR/said")" =~ ^0\ of\ [0-9]+\ jobs\ wrong\;\ [1-9] ]]
}

@test "without payloads: comm, ranks and bytes stay -, seq tells what is one, and stderr says how many were matched" {
	python3 "$TESTS/nccl/order.py" --seeds 28..28 --keep "$BATS_TEST_TMPDIR" > /dev/null
	run --separate-stderr nsq-nccl --each "$BATS_TEST_TMPDIR"/*.sqlite
	holds "$stderr" "96 operations were matched by order, for lack of NCCL's payloads"
	same "- - - -" "$(col comm ranks bytes bus_gbps <<< "$output" | tail -n +2 | tr '\t' ' ' | sort -u)"
	same 96 "$(awk -F '\t' 'NR > 1 && $10 != "-" && $15 != "-"' <<< "$output" | wc -l)"
	# waiting for the last is the ledger's too; the order in which traces are given changes no match
	[ "$(nsq-ledger -q --by owner "$BATS_TEST_TMPDIR"/*.sqlite | where owner comm.wait | count)" -gt 0 ]
	same 96 "$(nsq-nccl -q --each $(ls -r "$BATS_TEST_TMPDIR"/*.sqlite) | awk -F '\t' 'NR > 1 && $10 != "-"' | wc -l)"
}

@test "without payloads, groups along a dimension of a labelled mesh are matched, and nothing that is not one" {
	# tensor, data and pipeline parallel, replicas; the other operations are of larger groups or leave doubts
	same "0 of 1 jobs wrong; 80 of 1040 operations matched, in 1 jobs" "$(python3 "$TESTS/nccl/order.py" --seeds 26..26)"
	same "0 of 1 jobs wrong; 448 of 640 operations matched, in 1 jobs" "$(python3 "$TESTS/nccl/order.py" --seeds 92..92)"
}

# bats test_tags=long
@test "without payloads, captures of different stretches are not matched as if they were of one" {
	local seed
	for seed in 46 82 146 148 165; do
		same "0 of 1 jobs wrong; 0 of" "$(python3 "$TESTS/nccl/order.py" --shifted --seeds $seed..$seed | tail -1 | cut -d ' ' -f 1-7)"
	done
}

# bats test_tags=slow
@test "jobs captured with a range: all operations are matched, and the late rank is named" {
	faults=$TESTS/../../shared/faults
	[ -d "$faults" ] || skip "no such jobs here"
	for job in healthy latecompute latecpu latesometimes exposed tiny experts syncs; do
		for r in 0 1 2 3; do
			xz -dc "$faults/job-$job-rank$r.sqlite.xz" > "$BATS_TEST_TMPDIR/$r.sqlite"
		done
		same "" "$(nsq-nccl -q --each "$BATS_TEST_TMPDIR"/?.sqlite | where wait_ns - | tail -n +2)"
		late=$(awk -F '\t' -v job="job-$job" '$1 == job && $2 == "late" { print $4 }' "$faults/truth.tsv")
		[ -z "$late" ] || same "$late" "$(nsq-nccl -q --stragglers "$BATS_TEST_TMPDIR"/?.sqlite | col rank | head -1)"
	done
}

@test "kernels of CUDA graphs have no range at their launch: the kernel's name says the operation" {
	alter graph
	agrees "$V"/*.sqlite
	said "8 of 304 communication kernels match none"
}

# ---- groups

@test "a group of several communicators is mixed, and stays unmatched" {
	alter two-comms
	agrees "$V"/*.sqlite
	same "48 0" "$(nsq-nccl -q --each "$V"/*.sqlite | where comm mixed | count) $(nsq-nccl -q --each "$V"/*.sqlite | where comm mixed | awk -F '\t' 'NR > 1 && $10 != "-"' | wc -l)"
}

@test "several kernels of one group are one operation: bytes on the first, one number" {
	alter several-kernels
	agrees "$V"/*.sqlite
	same "$(nsq-nccl -q --last "${RANKS[@]}" | col rank ops last_ops | sort)" \
		"$(nsq-nccl -q --last "$V"/*.sqlite | col rank ops last_ops | sort)"
	same "$(nsq-nccl -q --each "${RANKS[@]}" | sum bytes)" "$(nsq-nccl -q --each "$V"/*.sqlite | sum bytes)"
}

@test "without labels, messages of more than two processes stay unmatched, and last is a pid" {
	alter no-labels
	agrees "$V"/*.sqlite
	same 48 "$(nsq-nccl -q --each "$V"/*.sqlite | where last - | where op sendrecv | count)"
	[[ "$(nsq-nccl -q --each "$V"/*.sqlite | where op broadcast | col last | sort -u | paste -sd ' ')" =~ ^[0-9\ ]*4733[0-9\ ]*$ ]]
}

# ---- jobs whose course is known

# bats test_tags=slow
@test "generated jobs: nothing is paired wrongly, and waits are the true ones" {
	python3 "$TESTS/nccl/check.py" --seeds "$(seeds 1 8 60 | head -1)..$(seeds 1 8 60 | tail -1)"
}
