# nsq-advise of jobs: who is late, what that costs, and that no other finding says it again.
load ../helper

setup_file() {
	export JOBS=$BATS_FILE_TMPDIR
	python3 "$TESTS/nccl/late.py" "$JOBS"
	for f in "$FIXTURES"/faults/jobs/*.xz; do xz -dc "$f" > "$JOBS/$(basename "$f" .xz)"; done
}

# said TRACE... [OPTION...]: rank, kind, where, recover_ns of each finding by which something can be won.
said() { nsq-advise -q -f tsv "$@" | col rank kind where recover_ns | awk -F '\t' '$4 != "-"'; }

# judge NAME KIND WHERE RANK STEP MENDED: does the first finding on standard input name the fault, and what mending it won?
judge() {
	awk -F '\t' -v name="$1" -v kind="$2" -v where="$3" -v rank="$4" -v step="$5" -v mended="$6" '
		NR == 1 { won = 1e6 * (step - mended)
			if ($2 != kind || $3 != where || (rank != "-" && $1 != rank)) print name ": " kind " in " where " of " rank ", not " $2 " in " $3 " of " $1
			else if (mended != "-" && won > 0 && ($4 < 0.9 * won || $4 > 1.5 * won)) print name ": " $4 " of " won }
		NR > 1 && kind != "late" && $2 == "late" { print name ": late" }
		END { if (!NR) print name ": nothing" }'
}

# bats test_tags=more,long
@test "the late rank comes first, as nsq-nccl --stragglers has it; healthy jobs accuse nobody" {
	local name rank cause where pct ns n=0
	while IFS=$TAB read -r name rank cause where pct ns; do
		nsq-advise -q -f tsv "$JOBS/$name.sqlite" | awk -F '\t' 'NR == 1 || $6 != "untrusted"' > "$BATS_TEST_TMPDIR/rows"
		if [ "$rank" = - ]; then
			lacks "$name $(col kind < "$BATS_TEST_TMPDIR/rows" | xargs)" late
			continue
		fi
		same "$name $rank late $where" "$name $(col rank kind where < "$BATS_TEST_TMPDIR/rows" | head -1 | tr '\t' ' ')"
		more || [ $((n++ % 3)) = 0 ] || continue
		same "$name $(nsq-nccl -q --stragglers "$JOBS/$name.sqlite" | col explained_ns | head -1 | awk -v n="$(nsq-advise -q --verdict "$JOBS/$name.sqlite" | where rank "$rank" | col steps)" '{ print int($1 / n) }')" \
			"$name $(col recover_ns < "$BATS_TEST_TMPDIR/rows" | head -1)"
		# what it does more, and what the others lose by it, is in no other row; two jobs have a fault besides (below)
		[[ "$name" == fuses_more || "$name" == late_and_saves ]] || same "$name 1" "$name $(col kind recover_pct < "$BATS_TEST_TMPDIR/rows" | awk -F '\t' '$1 != "late" { s += $2 } END { print (s < 3.5) }')"
	done < <(python3 "$TESTS/nccl/late.py" --list)
}

@test "the verdict: those who wait for a late rank are bound by it, and one sentence says so" {
	same "late late gpu late" "$(nsq-advise -q --verdict "$JOBS/computes_more.sqlite" | col bound | xargs)"
	run -0 --separate-stderr nsq-advise -v "$JOBS/computes_more.sqlite"
	holds "$stderr" "late-bound: rank 2: 5 more kernels (nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NTN, 1.00 ms) in 'forward'; the others wait for it in 11 of 11 steps; fixing that saves at most 1.11 of 3.54 ms per step"
	same "late late late late" "$(nsq-advise -q --verdict "$JOBS/cpu_sometimes.sqlite" | col bound | xargs)"
	# a single late step is nobody's habit
	same "comm comm gpu comm" "$(nsq-advise -q --verdict "$JOBS/once.sqlite" | col bound | xargs)"
	same "gpu gpu gpu gpu" "$(nsq-advise -q --verdict "$JOBS/even.sqlite" | col bound | xargs)"
}

@test "what a late rank has more of is in no other finding, whether in kernels to fuse or in steps that are long for another reason, too" {
	# 40 kernels of 60 us a step, of which the late rank has twice as many as the others
	nsq-advise -q "$JOBS/fuses_more.sqlite" | where kind fuse | col recover_ns | awk '$1 < 1.1e6 || $1 > 1.3e6 { print; exit 1 } END { if (NR != 1) exit 1 }'
	# 20 ms in one of eleven steps
	same "0 1818181" "$(nsq-advise -q "$JOBS/late_and_saves.sqlite" | where kind long | col rank recover_ns | tr '\t' ' ')"
	holds "$(nsq-advise -q "$JOBS/late_and_saves.sqlite" | col finding)" "1 of 11 steps (step 7) takes over"
	holds "$(nsq-sql -q --finding long "$JOBS/late_and_saves.sqlite" | where rank 2 | col words)" "1 of 11 steps (step 7) takes over"
}

@test "collectives are tiny by their size, if the trace tells it" {
	same "tiny " "$(said "$JOBS/tiny_by_size.sqlite" | cut -f2) $(said "$JOBS/small_by_size.sqlite" | cut -f2)"
}

@test "which steps are late: by their number in nsq-window, the first eight, and not if all are" {
	local name
	for name in computes_more computes_more_sometimes cpu; do
		nsq-sql -q --finding late "$JOBS/$name.sqlite" | col words
	done > "$BATS_TEST_TMPDIR/words"
	same "the others wait for it in 11 of 11 steps
the others wait for it in 2 of 11 steps (steps 3, 7)
the others wait for it in 10 of 11 steps (steps 1, 2, 3, 4, 5, 6, 7, 8, …)" "$(sed 's/.*; //' "$BATS_TEST_TMPDIR/words")"
	same "$(nsq-window -q --pick all "$JOBS/computes_more_sometimes.sqlite" | where rank 2 | col period_ns number | sort -nr | head -2 | cut -f2 | sort -n | xargs)" "3 7"
	t=$(change "$JOBS/computes_more_sometimes.sqlite" "UPDATE NVTX_EVENTS SET text = 'step ' || (100 + substr(text, 6)) WHERE text GLOB 'step [0-9]*'")
	holds "$(nsq-sql -q --finding late "$t" | col words)" "the others wait for it in 2 of 11 steps (steps 103, 107)"
}

@test "what a late rank does more of: how many more kernels, copies or calls a late step has, and their time" {
	local name what
	while IFS=$TAB read -r name what; do
		same "$name $what" "$name $(nsq-sql -q --finding late "$JOBS/$name.sqlite" | col words | sed 's/nvjet[^,]*/nvjet/; s/;.*//')"
	done <<-END
		computes_more	rank 2: 5 more kernels (nvjet, 1.00 ms) in 'forward'
		computes_more_sometimes	rank 2: 10 more kernels (nvjet, 2.00 ms) in 'forward'
		just	rank 2: kernels that take longer (nvjet, by 0.200 ms) in 'forward'
		copies	rank 3: 1 more copy (memcpy h2d, 0.800 ms) in 'load'
		cpu	rank 1: its CPU code takes longer in 'tokenize'
	END
	# as nsq-kernels counts them, in the mean of the steps
	n() { nsq-window -q --pick all --steady --period "$JOBS/computes_more.sqlite" | nsq-kernels -q --merge --by name | where rank "$1" | where class compute | col count | awk '{ n += $1 } END { print n / 11 }'; }
	same 5 "$(awk -v a="$(n 2)" -v b="$(n 1)" 'BEGIN { print (a - b) / 2 }')"
}

@test "a rank that waits in MPI calls is not accused of them; one that computes beside them is" {
	local calls="CREATE TABLE MPI_P2P_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER);
		INSERT INTO MPI_P2P_EVENTS SELECT start, end, globalTid + OTHER, 1 FROM NVTX_EVENTS WHERE text = 'tokenize'"
	holds "$(said "$(change "$JOBS/cpu.sqlite" "${calls/OTHER/1}")")" "1${TAB}late${TAB}tokenize"
	lacks "$(said "$(change "$JOBS/cpu.sqlite" "${calls/OTHER/0}")")" late
}

# bats test_tags=long
@test "traces of one job: found, valued, and shown by the evidence" {
	local name kind where rank step mended planted
	while IFS=$TAB read -r name kind where rank step mended planted; do
		[ -e "$JOBS/$name-rank0.sqlite" ] || continue
		said --step-time "${step}ms" "$JOBS/$name"-rank?.sqlite > "$BATS_TEST_TMPDIR/said"
		same "" "$(judge "$name" "$kind" "$where" "$rank" "$step" "$mended" < "$BATS_TEST_TMPDIR/said")"
		nsq-advise -q -f tsv "$JOBS/$name"-rank?.sqlite | where kind late > "$BATS_TEST_TMPDIR/late"
		same "$(col recover_ns < "$BATS_TEST_TMPDIR/late")" "$(eval "$(col evidence < "$BATS_TEST_TMPDIR/late") -q" | sum ns)"
		same "late late late late" "$(nsq-advise -q --verdict "$JOBS/$name"-rank?.sqlite | col bound | xargs)"
	done < "$FIXTURES/faults/jobs/truth.tsv"
}

# bats test_tags=more,long
@test "several jobs in one call: each has the findings, the verdict and the evidence that it has alone" {
	local jobs=("$FIXTURES/collectives-rank?.sqlite" "$JOBS/computes_more.sqlite") j all
	if more; then
		mkdir "$BATS_TEST_TMPDIR/again"
		cp "$JOBS"/job-latecpu-rank?.sqlite "$BATS_TEST_TMPDIR/again"    # another run of the same: each rank is there twice
		jobs=("$JOBS/job-latecpu-rank?.sqlite" "$JOBS/job-latesometimes-rank?.sqlite" "$FIXTURES/collectives-rank?.sqlite"
			"$BATS_TEST_TMPDIR/again/*.sqlite" "$JOBS/computes_more.sqlite")
	fi
	all=$(printf '%s ' "${jobs[@]}")
	for j in "${jobs[@]}"; do nsq-advise -q --verdict $j | col rank bound trace; done > "$BATS_TEST_TMPDIR/alone"
	same "$(cat "$BATS_TEST_TMPDIR/alone")" "$(nsq-advise -q --verdict $all | col rank bound trace)"
	for j in "${jobs[@]}"; do nsq-advise -q -f tsv $j | where kind late | col rank where evidence; done | sort > "$BATS_TEST_TMPDIR/alone"
	same ${#jobs[@]} "$(wc -l < "$BATS_TEST_TMPDIR/alone")"
	same "$(cat "$BATS_TEST_TMPDIR/alone")" "$(nsq-advise -q -f tsv $all | where kind late | col rank where evidence | sort)"
	more || return 0
	nsq-advise -v $all 2>&1 >/dev/null | grep -e -bound > "$BATS_TEST_TMPDIR/said"
	same 4 "$(grep -c "the job of '.*' is late-bound: rank " "$BATS_TEST_TMPDIR/said")"
	holds "$(tail -1 "$BATS_TEST_TMPDIR/said")" "others: 1 late-bound"
	# in whatever order they are given
	same "$(nsq-advise -q --verdict $all | col rank bound trace | sort)" "$(nsq-advise -q --verdict $(ls $all | sed 's,.*rank\([0-9]\).*,\1 &,' | sort | sed 's/^[0-9] //') | col rank bound trace | sort)"
	# without labels: runs one after the other on one host are two jobs, and what no time tells apart is one
	for t in "$BATS_TEST_TMPDIR"/again/*.sqlite; do
		sqlite3 "$t" "UPDATE NVTX_EVENTS SET text = 'label' WHERE text GLOB 'rank=*'"
		cp "$t" "${t/rank/later}"
		sqlite3 "${t/rank/later}" "UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + 3600000000000"
	done
	same "4 4" "$(cd "$BATS_TEST_TMPDIR/again" && nsq-advise -q ./*.sqlite | where kind host | col evidence | awk '{ print NF - 3 }' | xargs)"
	for t in "$BATS_TEST_TMPDIR"/again/*.sqlite; do sqlite3 "$t" "DELETE FROM TARGET_INFO_SESSION_START_TIME"; done
	same 8 "$(cd "$BATS_TEST_TMPDIR/again" && nsq-advise -q ./*.sqlite | where kind host | col evidence | awk '{ print NF - 3 }')"
}

# bats test_tags=slow
@test "every planted job: kind, place and rank come first, and the bound holds" {
	local name kind where rank step mended planted shared=$TESTS/../../shared/faults
	[ -d "$shared" ] || skip "no ../shared/faults"
	while IFS=$TAB read -r name kind where rank step mended planted; do
		case $name in job-*) ;; *) continue ;; esac
		for f in "$shared/$name"-rank*.xz; do xz -dc "$f" > "$BATS_TEST_TMPDIR/$(basename "$f" .xz)"; done
		said --step-time "${step}ms" "$BATS_TEST_TMPDIR/$name"-rank*.sqlite > "$BATS_TEST_TMPDIR/said"
		same "" "$(judge "$name" "$kind" "$where" "$rank" "$step" "$mended" < "$BATS_TEST_TMPDIR/said")"
		case $kind in late) want=late ;; sync) want=sync ;; *) want=comm ;; esac
		same "$name $want" "$name $(nsq-advise -q --verdict "$BATS_TEST_TMPDIR/$name"-rank*.sqlite | col bound | sort -u | xargs)"
	done < "$shared/truth.tsv"
}
