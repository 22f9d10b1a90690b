# The trial of tests/agent: questions about traces not seen before, answered from an installation alone.

load ../helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	NSQ_BIN=$(cd "${NSQ_BIN:-bin}" && pwd)
	export PATH=$NSQ_BIN:$PATH LC_ALL=C
}

setup_file() {
	export T=$BATS_FILE_TMPDIR/trial.sqlite
	cp "$BATS_TEST_DIRNAME/../fixtures/dualpipe-pp2ep2-nsys2023.sqlite" "$T"
	chmod u+w "$T"
	sqlite3 "$T" < "$BATS_TEST_DIRNAME/../agent/trace.sql"
}

# The block of a kind in the section of a question.
block() { awk -v section="## $1." -v kind="^\`\`\`$2\$" '/^## / { on = index($0, section) == 1 } /^```$/ { in_block = 0 } in_block && on
	$0 ~ kind { in_block = 1 }' tests/agent/questions.md; }

answer() {
	sqlite3 -separator $'\n' "$T" "$(block "$1" sql)" > "$BATS_TEST_TMPDIR/words"
	[ -s "$BATS_TEST_TMPDIR/words" ]
	block "$1" sh > "$BATS_TEST_TMPDIR/commands"
	n=$(wc -l < "$BATS_TEST_TMPDIR/commands")
	[ "$n" -ge 1 ]
	[ "$n" -le 3 ]
	if grep -vE '^nsq (\||[a-z])' "$BATS_TEST_TMPDIR/commands"; then
		echo "question $1 is answered by more than nsq"
		return 1
	fi
	while read -r command; do
		bash -o pipefail -c "$command" > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/err"
		[ "$(wc -l < "$BATS_TEST_TMPDIR/out")" -le 40 ]
	done < "$BATS_TEST_TMPDIR/commands"
	awk -F'\t' 'NR == FNR { want[++n] = $0; next }
		{ all = 1; for (i = 1; i <= n; i++) { met = 0; for (f = 1; f <= NF; f++) met += $f == want[i] || index($f, want[i] "#") == 1 || index(" " $f " ", " " want[i] " "); all = all && met } found += all }
		END { exit !found }' "$BATS_TEST_TMPDIR/words" "$BATS_TEST_TMPDIR/out" ||
		{ echo "wanted:"; cat "$BATS_TEST_TMPDIR/words"; echo "printed:"; cat "$BATS_TEST_TMPDIR/out"; return 1; }
}

@test "question 1: a rank's place in the mesh" { answer 1; }
@test "question 2: the steps, and the middle one's time on the GPU" { answer 2; }
@test "question 3: the kernel with the most time" { answer 3; }
@test "question 4: exposed communication of a phase in a step" { answer 4; }
@test "question 5: the longest idle time" { answer 5; }
@test "question 6: whose fault it is" { answer 6; }
@test "question 7: pageable copies" { answer 7; }
@test "question 8: synchronizing calls" { answer 8; }
@test "question 9: GPU time of a range" { answer 9; }
@test "question 10: the slowest step" { answer 10; }
@test "question 11: a layer of a replayed graph" { T=tests/fixtures/graph-capture.sqlite answer 11; }
@test "question 12: lost events" { T=tests/fixtures/ddp-2rank.sqlite answer 12; }
@test "question 13: what to fix first" { T=tests/fixtures/train-allocs.sqlite answer 13; }

# says TEXT: an agent that answers every question so.
says() { printf '#!/bin/sh\ncat > /dev/null\necho "answer: %s"\n' "$1" > "$BATS_TEST_TMPDIR/says"; chmod +x "$BATS_TEST_TMPDIR/says"; }

# scores N ANSWER: is it right?
scores() {
	says "$2"
	run --separate-stderr tests/agent/evaluate -q "$1" -- "$BATS_TEST_TMPDIR/says"
	cut -f 2 <<<"${lines[1]}"
}

# An agent that knows the right answers, and one that does not.
# bats test_tags=slow
@test "the evaluation scores an agent by the answers that SQL computes" {
	cat > "$BATS_TEST_TMPDIR/agent" <<-'END'
		#!/bin/bash
		prompt=$(cat)
		[ "$(ls)" = trial.sqlite ] || exit 1
		case $prompt in
		*"pipeline stage 1"*) nsq setup -q trial.sqlite | awk -F '\t' '/pp=1.*ep=1/ { print "It is:\n**Answer:** " $2 "; " $1 }' ;;
		*"pageable memory"*) nsq mem -q trial.sqlite | awk -F '\t' '$14 == "pageable" { print "answer: 0\nanswer: " $6 "; " $7 "; " $8 + 1 }' ;;
		*"longest stretch"*) echo "answer: 1; 2; 3" ;;
		*) echo "I do not know" ;;
		esac
	END
	chmod +x "$BATS_TEST_TMPDIR/agent"
	run -1 --separate-stderr tests/agent/evaluate -q 1,5,7,8 -k "$BATS_TEST_TMPDIR/kept" -- "$BATS_TEST_TMPDIR/agent"
	[ "$(cut -f 1,2 <<<"$output" | tr '\t\n' ' ,')" = "question right,1 1,5 0,7 1,8 0," ] || { echo "$output"; false; }
	[ "$stderr" = "tests/agent/evaluate: 2 of 4 right" ]
	grep -q "I do not know" "$BATS_TEST_TMPDIR/kept/8.txt"
	run -0 --separate-stderr tests/agent/evaluate -q 1 -- "$BATS_TEST_TMPDIR/agent"
}

# bats test_tags=slow
@test "ids, counts and names must be exact; lengths of time may be a thousandth off" {
	right=$(sqlite3 -separator '; ' "$T" "$(block 1 sql)")
	[ "$(scores 1 "$right")" = 1 ]
	[ "$(scores 1 "${right%?}$((${right: -1} + 1))")" = 0 ]
	IFS='|' read -r count bytes ns < <(sqlite3 "$T" "$(block 7 sql)")
	[ "$(scores 7 "$count; $bytes; $((ns + ns / 1001))")" = 1 ]
	[ "$(scores 7 "$count; $bytes; $((ns + ns / 990))")" = 0 ]
	[ "$(scores 7 "$count; $((bytes + 1)); $ns")" = 0 ]
	more || return 0
	[ "$(scores 7 "$count; $bytes; $ns")" = 1 ]
	[ "$(scores 1 "${right%?}$((${right: -1} - 1))")" = 0 ]
	[ "$(scores 7 "$count; $bytes; $((ns - ns / 1001))")" = 1 ]
	[ "$(scores 7 "$((count + 1)); $bytes; $ns")" = 0 ]
	[ "$(scores 7 "$count; $bytes")" = 0 ]
	IFS='|' read -r rank start ns < <(sqlite3 "$T" "$(block 5 sql)")
	[ "$(scores 5 "$rank; $start; $ns")" = 1 ]
	[ "$(scores 5 "$rank; $((start + 1)); $ns")" = 0 ]
	IFS='|' read -r what start end < <(sqlite3 "$FIXTURES/train-allocs.sqlite" "$(block 13 sql)")
	[ "$(scores 13 "${what^}; $start; $end")" = 1 ]
	[ "$(scores 13 "launch; $start; $end")" = 0 ]
}

# What was wrong, in one line, before any question is asked.
# bats test_tags=more,long
@test "a question or a command that is not there: exit 2, and one line" {
	says 0
	last=$(grep -c '^## [0-9]' tests/agent/questions.md)
	run -2 --separate-stderr tests/agent/evaluate -q 1,99 -- "$BATS_TEST_TMPDIR/says"
	[ "$stderr" = "tests/agent/evaluate: there is no question 99; there are 1 to $last" ]
	[ -z "$output" ]
	for missing in $(first_few 2 no-such-agent tests/agent/questions.md ./no-such-agent /no/such/agent); do
		run -2 --separate-stderr tests/agent/evaluate -q 1 -- "$missing" -p
		[ "$stderr" = "tests/agent/evaluate: there is no command '$missing'; name the agent to ask after --" ]
		[ -z "$output" ]
	done
	cd "$BATS_TEST_TMPDIR"
	run -1 "$OLDPWD/tests/agent/evaluate" -q 1 -- ./says        # though it is run in another folder
	[[ "${lines[1]}" == 1*0* ]]
}

# bats test_tags=slow
@test "an agent that does not end is stopped with all it started, and what it printed counts" {
	cat > "$BATS_TEST_TMPDIR/slow" <<-'END'
		#!/bin/bash
		cat > /dev/null
		echo "answer: $ANSWER"
		sleep 987 &
		echo $! > "$PIDS"
		wait
	END
	chmod +x "$BATS_TEST_TMPDIR/slow"
	answer=$(sqlite3 -separator '; ' "$FIXTURES/train-allocs.sqlite" "$(block 13 sql)")
	# where the machine is slow, it needs longer to print
	for limit in 1 5 25 125; do
		ANSWER=$answer PIDS=$BATS_TEST_TMPDIR/pid run --separate-stderr timeout 600 tests/agent/evaluate --limit $limit -q 13 -- "$BATS_TEST_TMPDIR/slow"
		[ "$status" -ne 0 ] || [ ! -s "$BATS_TEST_TMPDIR/pid" ] || break
	done
	[ "$stderr" = "tests/agent/evaluate: question 13: stopped after $limit s"$'\n'"tests/agent/evaluate: 1 of 1 right" ]
	[[ "${lines[1]}" =~ ^13$'\t'1$'\t'[0-9]+\. ]]
	for _ in {1..300}; do
		[ -e "/proc/$(cat "$BATS_TEST_TMPDIR/pid")" ] || break
		sleep .2
	done
	[ ! -e "/proc/$(cat "$BATS_TEST_TMPDIR/pid")" ] || grep -q '^State:.Z' "/proc/$(cat "$BATS_TEST_TMPDIR/pid")/status"
}
