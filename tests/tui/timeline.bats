# nsq-tui's timeline, driven in tmux: what it shows are the numbers of the tools, and each key does what the help says.
load ../helper
load helper

setup() {
	needs_tmux
	cd "$BATS_TEST_TMPDIR"
}

teardown() { tui_stop; }

# seconds: nanoseconds as the screen shows moments.
seconds() { awk '{ printf "%.9f s\n", $1 / 1e9 }'; }

# view: "FROM TO" of the first line, in ns.
view() { screen | sed -nE '1s/.*  (-?[0-9.]+) s\.\.(-?[0-9.]+) s \(.*/\1 \2/p' | awk '{ printf "%d %d\n", $1 * 1e9 + .5, $2 * 1e9 + .5 }'; }
view_is() { [ "$(view)" = "$1 $2" ]; }

# cursor: the moment at the ruler, in ns.
cursor() { screen | sed -nE 's/^(-?[0-9]+\.[0-9]{9}) .*\xe2\x96\xb2.*/\1/p' | awk '{ printf "%d\n", $1 * 1e9 + .5 }'; }
cursor_is() { [ "$(cursor)" = "$1" ]; }

# listed: the kernels around the cursor, "START NAME".
listed() { screen | sed -nE 's/^[> ] *([0-9]+\.[0-9]{9} s) +[0-9.]+ [nums]+ +(-|[0-9.]+ [nums]+)  [a-z_]+ +(.*)$/\1 \3/p'; }

# kernels PID STREAM: what runs there, by start.
kernels() { nsq-kernels -q --each --work all -p "$1" "$DUALPIPE" | col start_ns stream name | awk -F '\t' -v s="$2" '$2 == s' | sort -n | cut -f 1,3; }

@test "streams and kernels have the numbers of nsq-streams and nsq-kernels, in any part of a trace" {
	tui 150x30 nsq-tui -p 694 -w 100ms..180ms "$DUALPIPE"
	shows "pid 694 rank 1 GPU 0" "0.100000000 s..0.180000000 s (80.000 ms)" "ranges, GPU side"
	while read -r stream class share; do
		shows "$(printf '%-4s %-7s%5.1f%%' "$stream" "$class" "$share")"
	done < <(nsq-streams -q -p 694 -w 100ms..180ms "$DUALPIPE" | col stream class busy_pct)
	press Tab
	until_true cursor_is "$(kernels 694 7 | awk '$1 >= 1e8 { print $1; exit }')"
	kernels 694 7 | awk '$1 >= 1e8' | head -5 | while IFS=$TAB read -r start name; do echo "$(seconds <<< "$start") $name"; done > want
	[ "$(wc -l < want)" = 5 ]
	listed | grep -A4 "$(head -1 want)" | diff want -
	ends 0
}

# bats test_tags=slow
@test "the view moves and zooms as the keys say" {
	tui 160x30 nsq-tui -p 693 -w 100ms..180ms "$DUALPIPE"
	shows "0.100000000 s..0.180000000 s"
	press Right
	until_true view_is 104000000 184000000
	press S-Right S-Right
	until_true view_is 144000000 224000000
	until_true cursor_is 144000000
	press Left S-Left
	until_true view_is 120000000 200000000
	press NPage
	until_true view_is 200000000 280000000
	press PPage
	until_true view_is 120000000 200000000
	press +
	until_true view_is 120000000 160000000
	press - -
	until_true view_is 120000000 280000000
	press 0
	read -r a b < <(nsq-setup -q -p 693 "$DUALPIPE" | col start_ns end_ns | tr '\t' ' ')
	until_true view_is "$a" "$b"
	press Right Right
	until_true cursor_is $((120000000 + (b - a) / 20 * 2))
	view_is "$a" "$b"
	press End
	until_true cursor_is $((b - 1))
	press Home
	until_true cursor_is "$a"
	press '>'
	until_true cursor_is $((a + (b - a) / 140))
	press '<'
	until_true cursor_is "$a"
	press g         # the cursor covers no part of a tick's label
	type 100ms..180ms
	press Enter
	shows "▲100 ms─"
	press '>' '>'
	shows "┼▲──" "┼120 ms─"
	ends 0
}

# bats test_tags=slow
@test "zooming keeps the cursor where it is on the screen" {
	tui 160x30 nsq-tui -p 693 -w 100ms..180ms "$DUALPIPE"
	shows "0.100000000 s..0.180000000 s"
	at=$(kernels 693 7 | awk '$1 > 1e8 && ++n == 3 { print $1 }')
	press Tab Tab Tab
	until_true cursor_is "$at"
	column() { screen | sed -n 's/▲.*//; T; s/─/-/g; s/┼/-/g; p' | awk '{ print length }'; }
	before=$(column)
	press + + + +
	shows "(5.000 ms)"
	cursor_is "$at"
	after=$(column)
	[ $((after - before)) -le 1 ]
	[ $((before - after)) -le 1 ]
	press z
	hides "(5.000 ms)"
	ends 0
}

# bats test_tags=slow
@test "Tab and Shift-Tab go through every kernel of the stream, up and down choose it" {
	kernels 693 7 > seven
	kernels 693 32 > other
	tui 150x40 nsq-tui -p 693 "$DUALPIPE"
	selected_is() { [ "$(screen | sed -n 's/^> *\([0-9.]* s\).*/\1/p' | tail -1)" = "$1" ]; }
	shows ">7 "
	for n in 2 3 4 5; do
		press Tab
		until_true selected_is "$(sed -n "${n}p" seven | cut -f1 | seconds)"
	done
	press BTab
	until_true selected_is "$(sed -n 4p seven | cut -f1 | seconds)"
	press Down
	shows ">32 "
	press Home Tab
	until_true selected_is "$(sed -n 1p other | cut -f1 | seconds)"
	press End Tab
	shows "no further kernel on this stream"
	press BTab
	until_true selected_is "$(tail -1 other | cut -f1 | seconds)"
	press Up
	shows ">7 "
	press Up
	shows ">7 "
	ends 0
}

# bats test_tags=slow
@test "the filter acts while it is typed, and says how many kernels it leaves" {
	n() { nsq-kernels -q --work all -m "$1" -p 693 "$DUALPIPE" | col count | awk '{ n += $1 } END { print n + 0 }'; }
	all=$(n .)
	tui 150x40 nsq-tui -p 693 "$DUALPIPE"
	shows ">7 "
	press /
	shows "search kernels by name"
	type "("
	shows "not an expression"
	same "not an expression: missing closing parenthesis" "$(screen | sed -n '/not an expression/s/ *$//p')"
	press BSpace
	type '(\w+)+[!?]'
	shows "the expression takes too long"
	press C-u
	type "nv"
	shows "$(n nv) of $all kernels and copies" "search kernels by name (an expression; Esc: all): nv"
	type "jet|^mem"
	shows "$(n 'nvjet|^mem') of $all kernels and copies"
	press Enter
	shows "/nvjet|^mem"
	press Tab Tab
	same "" "$(listed | grep -v -e ' nvjet' -e ' memset' || true)"
	press /         # empty, as in a pager
	type "SENDRECV"
	shows "0 of $all kernels and copies"
	press C-u
	type "sendrecv"
	shows "$(n SendRecv) of $all kernels and copies"
	type "("
	shows "not an expression"
	press Enter
	shows "not an expression"
	press BSpace Enter
	shows "/sendrecv"
	press g         # what the filter leaves out is running all the same
	type 17699460ns
	press Enter
	shows "0.017699460 s  not shown: nvjet"
	press / Escape
	hides "/sendrecv"
	ends 0
}

# bats test_tags=slow
@test "a shortest duration, demangled names, times from the start, settings" {
	all=$(kernels 693 7 | wc -l)
	long=$(nsq-kernels -q --each --work all -p 693 "$DUALPIPE" | col dur_ns | awk '$1 >= 20000' | wc -l)
	total=$(nsq-kernels -q --each --work all -p 693 "$DUALPIPE" | rows | wc -l)
	tui 150x40 nsq-tui -p 693 "$DUALPIPE"
	shows ">7 "
	press m
	type 20x
	press Enter
	shows "'20x' is not a duration"
	press C-u
	type 20us
	press Enter
	shows "$long of $total kernels and copies" "from 20.000 us"
	press m C-u Enter
	hides "from 20.000 us"
	lacks "$(screen)" "void at::native"
	press d
	shows "void at::native"
	press d
	hides "void at::native"
	press a
	shows "times from the start" "  0.000000000 s.."
	press a
	hides "times from the start"
	rows_of() { screen | awk '/^>7/ { from = NR } /^ 32/ { print NR - from }'; }
	rows_are() { [ "$(rows_of)" = "$1" ]; }
	rows_are 3
	press C Right Right Escape
	until_true rows_are 5
	press C Down Down Down Left Left Left Left Escape
	hides "ranges, GPU side"
	press C Down Down Down Down Right Right
	shows "shortest kernel" "2.000 us"
	press Escape
	shows "from 2.000 us"
	ends 0
}

# bats test_tags=slow
@test "ranges are shown on the GPU, and thread by thread" {
	tui 150x40 nsq-tui -p 693 "$DUALPIPE"
	shows "ranges, GPU side" "forward c"
	press r
	shows "ranges, thread 693"
	press r
	hides "ranges, thread 693"
	ends 0
	tui_stop
	tui 150x40 nsq-tui "$COPIES"
	shows "ranges, GPU side"
	for _ in $(nsq-setup -q "$COPIES" | col pid) 1 2 3 4 5 6 7 8; do
		if screen_holds "start/end ranges"; then break; fi
		before=$(screen | cut -c 1-20)
		press r
		until_true eval '[ "$(screen | cut -c 1-20)" != "$before" ]'
	done
	shows "start/end ranges" "$(sql "$COPIES" "SELECT coalesce(text, value) FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId WHERE eventType = 60
		ORDER BY end - start DESC LIMIT 1" | cut -c 1-6)"
	press r
	shows "ranges, GPU side"
	ends 0
}

# bats test_tags=slow
@test "processes, GPUs and traces are chosen from a list, or one after the other" {
	cp "$FIXTURES/train.sqlite" "a run with a name that is longer than others are, and longer than a panel is.sqlite"
	tui 160x30 nsq-tui "$DUALPIPE" "$COPIES" "$FIXTURES/train.sqlite" a*.sqlite
	shows "pid 693 rank 0"
	press p
	shows "pid 694 rank 1"
	press P
	shows "Processes and GPUs" "$(printf '%-10s %-9s %-6s %8d kernels  ' 696 'rank 3' 'GPU 0' 377)dualpipe" \
		"$(printf '%-10s %-9s %-6s %8d kernels  ' 911 '' 'GPU 0' 1616)a run with a name that is longer than others are, and longer than a panel is.sqlite"
	press Down Down Enter
	shows "pid 696 rank 3"
	press g
	type 100ms..180ms
	press Enter
	shows "0.100000000 s..0.180000000 s"
	press P Up Enter        # the same time, unless it is another trace's
	shows "pid 695 rank 2" "0.100000000 s..0.180000000 s"
	press p
	shows "pid 696 rank 3" "0.100000000 s..0.180000000 s"
	press p p
	shows "train.sqlite  pid"
	press p p
	shows "pid 693 rank 0"
	ends 0
	tui 80x24 TERM=vt100 nsq-tui "$FIXTURES/train.sqlite"
	shows "train.sqlite  pid"
	press Tab
	shows "0.01180781 s ▲"
	type $'\e[<0;60;8M'     # a mouse, which vt100 has not: none of it is a key
	type $'\e[<0;60;8m'
	press p
	shows "there is only this process and GPU"
	ends 0
}

# bats test_tags=slow
@test "what the tools warn of stands on the screen, and what they say means nothing does not" {
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start - 5000000, end = end - 5000000")
	holds "$(nsq-gaps -p 693 "$t" 2>&1)" "CPU and GPU clocks disagree"
	tui 80x24 nsq-tui -p 693 "$t"
	shows "clocks disagree: causes unknown" "launched ? before, by thread 693"
	press M         # a kernel: the GPU is busy all the time, of which nsq-gaps --by cause has no rows
	shows "busy                                                  9.759 us  100.00 %" "causes: ? (the clocks of CPU and GPU disagree)"
	press Escape i
	shows "cause: ? (the clocks of CPU and GPU disagree)"
	ends 0
	# it shows only in copies to pageable memory
	t=$(change "$FIXTURES/train.sqlite" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET dstKind = 0 WHERE dstKind = 1; \
		UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = start + 200000, end = end + 5000000 WHERE dstKind = 0")
	holds "$(nsq-gaps "$t" 2>&1)" "CPU and GPU clocks disagree"
	tui 80x24 nsq-tui "$t"
	shows "by thread 911" "clocks disagree: causes unknown"
	press M
	shows "causes: ? (the clocks of CPU and GPU disagree)"
	press Escape
	shows "clocks disagree: causes unknown" "launched ? before"
	ends 0
	tui 80x24 nsq-tui -p 693 "$DUALPIPE" missing.sqlite
	shows "not all of the traces can be shown; why is said in the end"
	press Tab
	shows "before, by thread 693" "? keys"
	lacks "$(screen)" "launched ?" "clocks disagree" "events lost"
	ends 1
	holds "$(screen)" "missing.sqlite"
	tui 100x24 nsq-tui      # it waits, as every tool does, but not silently
	shows "no trace is named, so a table of windows is read from the terminal; Ctrl-D ends it"
	ends 2 C-d
	tui 80x24 nsq-tui -p 1085 "$FIXTURES/ddp-2rank.sqlite"
	shows "events lost: numbers too low"
	lacks "$(screen)" "clocks disagree"
	ends 0
}

# The nearest of 256 colors to the one that the glossary has for a dark background.
nearest() {
	python3 - "$TESTS/../share/glossary.tsv" "$1" <<-'END'
		import sys
		colour = next(line.split("\t")[2] for line in open(sys.argv[1]) if line.split("\t")[1] == sys.argv[2])
		steps, want = (0, 95, 135, 175, 215, 255), [int(colour[i:i + 2], 16) for i in (9, 11, 13)]
		rgb = {16 + n: (steps[n // 36], steps[n // 6 % 6], steps[n % 6]) for n in range(216)} | {232 + n: (8 + 10 * n,) * 3 for n in range(24)}
		print(min(rgb, key=lambda n: sum(w * (a - b) ** 2 for w, a, b in zip((2, 4, 3), rgb[n], want))))
	END
}

@test "kernels have the colors of their owners, the nearest of 256" {
	tui 120x24 TERM=xterm-256color LC_ALL=C.UTF-8 nsq-tui "$FIXTURES/train.sqlite"
	shows "? keys" "matmul"
	n=0
	for owner in matmul pointwise reduction move attention; do
		screen -e | grep '■' | grep -qF "$owner" || continue
		n=$((n + 1))
		holds "$(screen -e | grep '■' | sed 's/\x1b/E/g' | grep -oE "E\[[0-9;]*m■[^■]*$owner" | tail -1)" "38;5;$(nearest $owner)m■"
	done
	[ $n -ge 2 ]
	ends 0
}

# bats test_tags=slow
@test "terminals of any size, with and without colors and UTF-8" {
	for how in "TERM=xterm-256color LC_ALL=C.UTF-8" "TERM=xterm LC_ALL=C.UTF-8" "TERM=vt100 LC_ALL=C" "TERM=xterm-256color NO_COLOR=1"; do
		tui 80x24 $how nsq-tui -p 693 "$DUALPIPE"
		shows ">7 " "? keys"
		for size in 20x5 200x50 1x1 2x3 40x7 80x24; do
			tm resize-window -x "${size%x*}" -y "${size#*x}"
			case $size in [12]x*) ;; *) until_true screen_holds "? keys" ;; esac
			press Tab + - h Escape C Escape
		done
		shows "dualpipe" ">7 " "? keys"
		ends 0
		tui_stop
	done
	tui 100x24 TERM=vt100 LC_ALL=C nsq-tui -p 693 "$DUALPIPE"
	shows ">7 " "c comm"
	same "" "$(screen | LC_ALL=C grep '[^ -~]' || true)"
	ends 0
}

# bats test_tags=slow
@test "names from a trace cannot control the terminal, wide ones stay in their cells" {
	t=$(change "$DUALPIPE" "UPDATE StringIds SET value = 'evil' || char(27) || '[2J' || char(7) || value || '漢字é'")
	tui 150x40 nsq-tui -p 693 "$t"
	shows ">7 " 'evil\x1b[2J\x07' "漢字é"
	press d Tab Tab
	shows 'evil\x1b[2J\x07'
	ends 0
}

# bats test_tags=slow
@test "the page on pictures shows the screen" {
	cd "$TESTS/.."
	tui 100x15 nsq-tui -p 693 -w 26.8ms..27.6ms tests/fixtures/dualpipe-pp2ep2.sqlite
	shows ">7 "
	press Tab Tab Tab
	shows "0.026897045 s  2.176 us"
	screen | sed 's/ *$//' | diff <(awk '/^```/ { on = /^```text$/; next } on' share/references/pictures.md) -
	ends 0
}
