# Who is late, and why: jobs whose late rank is known (late.py), with the fault, nearly with it, and without.
load ../helper

RANKS=("$FIXTURES"/collectives-rank{0,1,2,3}.sqlite)

setup_file() {
	export JOBS=$BATS_FILE_TMPDIR
	python3 "$TESTS/nccl/late.py" "$JOBS"
}

@test "the late rank is named, with what it does more, where, in how many steps and by how much; the others wait for it" {
	local name rank cause where pct ns
	while IFS=$TAB read -r name rank cause where pct ns; do
		nsq-nccl -q --stragglers "$JOBS/$name.sqlite" > "$BATS_TEST_TMPDIR/rows"
		if [ "$rank" = - ]; then
			same "$name 0 unexplained" "$name $(sum explained_ns < "$BATS_TEST_TMPDIR/rows") $(col cause < "$BATS_TEST_TMPDIR/rows" | sort -u)"
			continue
		fi
		same "$name $rank $cause $where $pct" "$name $(col rank cause where steps_pct < "$BATS_TEST_TMPDIR/rows" | head -1 | tr '\t' ' ')"
		same "$name 0 rank $rank -" "$name $(tail -n +3 "$BATS_TEST_TMPDIR/rows" | cat <(head -1 "$BATS_TEST_TMPDIR/rows") - | col explained_ns cause where | sort -u | tr '\t' ' ')"
		col explained_ns steps_pct < "$BATS_TEST_TMPDIR/rows" | head -1 | awk -v name="$name" -v ns="$ns" '{ late = $2 * 11 / 100; each = $1 / int(late + 0.5)
			if (each < 0.97 * ns || each > 1.03 * ns) { print name ": " each " of " ns; exit 1 } }'
	done < <(python3 "$TESTS/nccl/late.py" --list)
}

@test "windows choose the steps that are added up; who is late is decided by all of them" {
	local t=$JOBS/computes_more_sometimes.sqlite
	nsq-window -q --pick all --steady --period "$t" > "$BATS_TEST_TMPDIR/steps"
	nsq-nccl -q --stragglers < "$BATS_TEST_TMPDIR/steps" | where rank 2 > "$BATS_TEST_TMPDIR/each"
	same "2 9" "$(col steps_pct < "$BATS_TEST_TMPDIR/each" | sort | uniq -c | awk '{ n[$2] = $1 } END { print n["100.00"], n["0.00"] }')"
	same "$(nsq-nccl -q --stragglers "$t" | where rank 2 | col explained_ns)" "$(sum explained_ns < "$BATS_TEST_TMPDIR/each")"
	same "gpu" "$(col cause < "$BATS_TEST_TMPDIR/each" | sort -u)"
	same "$(nsq-nccl -q --stragglers "$t" | col rank explained_ns cause where)" \
		"$(nsq-nccl -q --merge --stragglers < "$BATS_TEST_TMPDIR/steps" | col rank explained_ns cause where)"
}

@test "-m names the steps; without steps nobody is accused" {
	local t=$JOBS/computes_more.sqlite
	same "$(nsq-nccl -q --stragglers "$t" | col rank explained_ns steps_pct)" "$(nsq-nccl -q --stragglers -m '^step' "$t" | col rank explained_ns steps_pct)"
	same "unexplained" "$(nsq-nccl -q --stragglers -m '^nothing' "$t" | col cause | sort -u)"
	fails 2 "-m" -- nsq-nccl -m step "$t"
}

@test "traces of one job, on clocks of their own, on one GPU: rank 3 runs a kernel that the others do not have" {
	nsq-nccl -q --stragglers "${RANKS[@]}" > "$BATS_TEST_TMPDIR/rows"
	same "3 33.33 gpu forward" "$(col rank steps_pct cause where < "$BATS_TEST_TMPDIR/rows" | head -1 | tr '\t' ' ')"
	same "rank 3" "$(col cause < "$BATS_TEST_TMPDIR/rows" | tail -n +2 | sort -u)"
	# of three steps, those in which it runs: 4.06 ms each
	same 1 "$(sum explained_ns < "$BATS_TEST_TMPDIR/rows" | awk -v ns="$(nsq-window -q --pick all --steady --period "${RANKS[3]}" | nsq-kernels -q --merge --by name |
		where name spin_kernel | col total_ns)" '{ print ($1 > 0.98 * ns && $1 < 1.02 * ns) }')"
	# ranks that take turns on one GPU, and do the same
	same "0 unexplained" "$(nsq-nccl -q --stragglers "$DUALPIPE" | sum explained_ns) $(nsq-nccl -q --stragglers "$DUALPIPE" | col cause | sort -u)"
}
