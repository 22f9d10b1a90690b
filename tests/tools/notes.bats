# Notes on stderr: few lines, the answer first, then warnings, and each line short.
load ../helper
load ../small-traces

# Notes of a command, without the tool's name.
said() { "$@" 2>&1 >/dev/null | sed 's/^nsq-[a-z]*: //'; }

setup_file() {
	# what the tools say of each fixture by default
	for t in $(first_few 6 "$FIXTURES"/{ddp-2rank,train,dualpipe-pp2ep2,decode-graph-whole,threads-copies,collectives-rank0}.sqlite "$FIXTURES"/*.sqlite); do
		for tool in advise api copies gaps kernels ledger mem nccl nvtx overlap path setup stalls streams threads window; do
			[ ! -x "$(command -v nsq-$tool)" ] || nsq-$tool "$t" 2>&1 >/dev/null | sed "s,^,$tool ${t##*/} ,"
		done
	done > "$BATS_FILE_TMPDIR/all"
}

@test "a tool says at most three lines, but for warnings" {
	[ "$(wc -l < "$BATS_FILE_TMPDIR/all")" -gt 40 ]
	same "" "$(awk '!/: warning: / && ++n[$1 " " $2] > 3' "$BATS_FILE_TMPDIR/all")"
	same "" "$(awk '{ n[$1 " " $2]++; w[$1 " " $2] += /: warning: / } END { for (k in n) if (n[k] > 3 && n[k] > w[k] + 1) print k, n[k], w[k] }' "$BATS_FILE_TMPDIR/all")"
}

@test "a line has at most 100 characters beside the paths in it, and what -v would add" {
	same "" "$(cut -d' ' -f3- "$BATS_FILE_TMPDIR/all" | sed -E "s/^nsq-[a-z]+: (warning: )?//; s/'[^']*\.sqlite'//g; s/; -v prints [0-9]+ more notes?$//" |
		awk 'length > 100' | sort -u)"
}

@test "an option is one of the tool that says it, or stands behind the tool that has it" {
	local n=0
	while read -r tool option; do
		n=$((n + 1))
		nsq-$tool --columns $option x > /dev/null 2> "$BATS_TEST_TMPDIR/err" || true
		lacks "$(<"$BATS_TEST_TMPDIR/err")" "unknown option"
	done < <(sed -E 's/(nsq capture|nsq-[a-z]+|nsys profile|nsys|ncu)( -[-a-zA-Z0-9=]+| [A-Z.]+)*//g' "$BATS_FILE_TMPDIR/all" |
		awk '{ for (line = $0; match(line, /--[a-z][-a-z]*/); line = substr(line, RSTART + RLENGTH)) print $1, substr(line, RSTART, RLENGTH) }' | sort -u)
	[ $n -gt 3 ]
}

# bats test_tags=long
@test "the answer first, then warnings, before the rows; remarks behind them; -q leaves warnings, -v prints all" {
	nsq-advise -f tsv "$DDP" > "$BATS_TEST_TMPDIR/both" 2>&1
	same "answer warning warning rows" "$(sed -E 's/.*: warning: .*/warning/; s/.*-bound: .*/answer/; s/^(pid|[0-9]).*\t.*/rows/' "$BATS_TEST_TMPDIR/both" | uniq -c | awk '{ print $2 }' | sed 's/^warning$/warning warning/' | xargs)"
	same 2 "$(said nsq-advise -q "$DDP" | wc -l)"
	same "" "$(said nsq-advise -q "$DDP" | grep -v '^warning: ')"
	[ "$(said nsq-advise -v "$DDP" | wc -l)" -gt 5 ]
	# what is printed and what is said to be left is all
	nsq-window "$FIXTURES/torch-compile.sqlite" 2> "$BATS_TEST_TMPDIR/few" > /dev/null
	more=$(sed -n 's/.*; -v prints \([0-9]*\) more notes*$/\1/p' "$BATS_TEST_TMPDIR/few")
	same "$(said nsq-window -v "$FIXTURES/torch-compile.sqlite" | wc -l)" "$(($(wc -l < "$BATS_TEST_TMPDIR/few") + ${more:-0}))"
	# a trace that cannot be read does not hide what is wrong with the others
	run -1 --separate-stderr nsq-kernels nowhere.sqlite "$DDP"
	holds "$stderr" "nowhere.sqlite" "warning: process 1085 "
	# a reader that leaves after the first line has been warned
	holds "$( { nsq-kernels "$DDP" | head -1; } 2>&1 >/dev/null)" "warning: process 1085 "
}

@test "an empty answer says what was looked at" {
	same "no rows for '$FIXTURES/train.sqlite': no GPU work, or no idle time around it as long as --min; looked at 1 window, $(nsq-gaps -q "$FIXTURES/train.sqlite" |
		col start_ns end_ns | awk '{ printf "%.1f", ($2 - $1) / 1e6 }') ms" "$(said nsq-gaps --each --min 9s "$FIXTURES/train.sqlite")"
	same "no rows for '$FIXTURES/train.sqlite': no kernel has such a name; looked at 2 windows, 3.00 ms" \
		"$(said nsq-kernels -m zzz -w 12ms..13ms -w 20ms..22ms "$FIXTURES/train.sqlite")"
	# a GPU that is never idle has work, and a trace without ranges has no names to list
	t=$(made "INSERT INTO K VALUES (1000, 3000, 0, 1, 7, 1, $P5, 1, 1)")
	same "no rows for '$t': no GPU work, or no idle time around it; looked at 1 window, 2.00 us" "$(said nsq-gaps --by cause "$t")"
	same "no rows for '$t': no compute kernel has to wait; looked at 1 window, 2.00 us" "$(said nsq-stalls --by part "$t")"
	same "no rows for '$t': no range is open; looked at 1 window, 2.00 us" "$(said nsq-window --list "$t")"
}
