# nsq-tui in a terminal: every key of its help is pressed, and the numbers that it shows are those of the tools.
load ../helper
load helper

setup() { needs_tmux; cd "$BATS_TEST_TMPDIR"; ln -sf "$DUALPIPE" 'my run.sqlite'; }
teardown() { tui_stop; }

# sums_of PID FROM TO: the lines of the panel that sums up a time, by the tools.
sums_of() {
	local at=(-q -w "$2..$3" -p "$1" -g 0 "$DUALPIPE") name ns pct
	nsq-gaps "${at[@]}" | col busy_ns idle_ns | while read -r busy idle; do
		echo "busy $(amount "$busy") $(awk "BEGIN { printf \"%.2f\", 100 * $busy / ($busy + $idle) }") %"
		echo "idle $(amount "$idle") $(awk "BEGIN { printf \"%.2f\", 100 * $idle / ($busy + $idle) }") %"
	done
	nsq-gaps --by cause "${at[@]}" | col cause idle_ns idle_pct | while read -r name ns pct; do echo "$name $(amount "$ns") $pct %"; done
	echo "kernels ($(nsq-kernels "${at[@]}" | count) names), with shares of their time"
	nsq-kernels "${at[@]}" | col name count total_ns pct | while IFS=$TAB read -r name n ns pct; do
		echo "$name ($n) $(amount "$ns") $pct %"
	done | short_names
}

# gap_after NS LEAST N: the length of the Nth gap of process 693 that begins after a moment and is at least so long.
gap_after() { nsq-gaps -q --each -p 693 -g 0 "$DUALPIPE" 2> /dev/null | col start_ns dur_ns | sort -n | awk -v a="$1" -v l="$2" '$1 > a && $2 >= l { print $2 }' | sed -n "$3p"; }

# longest_gap NUMBER: of a step of process 693, up to the next.
longest_gap() {
	local from to
	{ read -r from; read -r to; } < <(nsq-window -q -p 693 --skip 0 --pick all "$DUALPIPE" | col number start_ns | awk -v n="$1" '$1 == n || $1 == n + 1 { print $2 }')
	nsq-gaps -q --each -p 693 -g 0 "$DUALPIPE" 2> /dev/null | col start_ns dur_ns | awk -v a="$from" -v b="$to" '$1 >= a && $1 < b { print $2 }' | sort -n | tail -1
}

# Long names have their middle left out.
short_names() { sed -E 's/^(.{12}).* \(/\1 (/'; }

# panel_lines: those of a panel that fills the screen's middle, blanks squeezed.
panel_lines() { screen | sed -n '/The marked time/,$p' | cut -c 23-97 | sed 's/^ *//; s/ *$//' | tr -s ' ' | short_names; }

# bats test_tags=slow
@test "every key of the help does what it says, with the numbers of the tools" {
	local from=17699460 to=399561288 length=381861828 begin end step labels sums tools
	read -r begin end < <(nsq-setup -q -p 693 "$DUALPIPE" | col start_ns end_ns)
	read -r step < <(nsq-window -q -p 693 --period --pick longest "$DUALPIPE" | col dur_ns)
	tui 120x90 nsq-tui 'my run.sqlite'
	shows "my run.sqlite  pid 693 rank 0 GPU 0  $(moment $from)..$(moment $to) (381.862 ms)" "? keys"
	does '>' '>' "$(moment $((from + length / 100)))  "
	does '<' '<' "$(moment $from)  9.759 us  nvjet"
	does Tab Tab "0.017710883 s  1.120 us  memset"
	does Shift-Tab BTab "$(moment $from)  9.759 us  nvjet"
	does + + "(190.931 ms)"
	does right Right "$(moment $((from + length / 40))).."
	does left Left "$(moment $from).."
	does Shift-right S-Right "$(moment $((from + length / 8))).."
	does Shift-left S-Left "$(moment $from).."
	does PgDn PageDown "$(moment $((from + length / 2))).."
	does PgUp PageUp "$(moment $from).."
	does - - "(381.862 ms)"
	does 0 0 "$(moment "$begin")..$(moment "$end")"
	does End End "$(moment $((end - 1)))  idle to the end"
	does Home Home "$(moment "$begin")  idle; the next kernel starts in $(amount $((from - begin)))"
	does down Down ">32   comm"
	does up Up ">7    compute"
	press Tab
	does z z "($(amount $((3 * 9759))))"
	press Tab Tab Tab Tab
	shows "vectorized_elementwise_kernel"
	does d d "void at::native::vectorized_elementwise_kernel"
	press d
	does a a "$(moment $((17890851 - from)))  3.104 us"
	press a
	does r r "ranges, thread 693"
	press r
	does p p "pid 694"
	does P P "Processes and GPUs: Enter shows one" "693 "
	press Up Enter
	shows "pid 693"
	does / / "search kernels by name"
	type memset
	shows "/memset"
	press Enter
	does n n "match 2 of "
	does N N "match 1 of "
	does m m "shortest kernel"
	type 1ms
	press Enter
	shows "from 1.000 ms"
	press / C-u Enter m C-u Enter
	hides "from 1.000 ms"
	does t t "range or kernel, by GPU time"
	press t
	hides "range or kernel"
	does C C "Settings" "rows of the selected stream"
	press Right Escape
	hides "Settings"

	# places
	does w w "no windows were given: nsq-window TRACE | nsq-tui"
	press Escape
	hides "no windows"
	does W W "no windows were given"
	does s s "the longest is step 6 (index 4 of 0 to 5), 'forward chunk 6 (phase0) backward chunk 4 (phase1)': $(amount "$step") on the GPU;" \
		"s marks it; skipped the last step (no next step to end it)"
	press s         # again: it is marked
	shows "The marked time" ": $(amount "$step")"
	press Escape
	hides "The marked time"
	press Escape
	shows "no time is marked any more"
	does g g "go to ("
	type "step 3"
	press Enter
	shows "step 3 (index 1 of 0 to 5), 'forward chunk 3 (phase0) backward chunk 1 (phase1)': "
	does B B "bookmark 1: "
	does [ [ "marked from 0.135321963 s"
	does ] '> > > ]' "The marked time"
	until_true screen_holds "kernels ("
	read -r sums < <(screen | sed -n 's/.*0.135321963 s to \([0-9.]*\) s: .*/\1/p')
	sums=$((10#${sums/./}))
	tools=$(sums_of 693 135321963 "$sums")
	same "$tools" "$(panel_lines | sed -n '3,$p' | head -$(wc -l <<< "$tools"))"
	does y y "nsq-kernels -w 135321963..$sums -p 693 'my run.sqlite'" "The marked time"
	press Escape
	hides "The marked time"
	press y
	shows "nsq-gaps --by cause -w 135321963..$sums -p 693 'my run.sqlite'"
	does Esc Escape "no time is marked any more"
	does L L "shortest idle gap to go to: 10us"
	press C-u
	type 1ms
	press Enter
	shows "idle for $(amount 5164261), until "
	shows "cause: turnaround  call: -  range: -"
	does M M "The marked time" "0.376374718 s to 0.381538979 s: 5.164 ms"
	shows "busy                                                      0 ns" "turnaround"
	press Escape
	hides "The marked time"
	press Escape
	shows "no time is marked any more"
	press L C-u
	type 1us
	press Enter
	shows "idle for " "until "
	does \` \` "0.376374718 s  "
	press g
	type "step 3"
	press Enter
	shows "step 3 (index 1 of 0 to 5)"
	press L C-u
	type 1us
	press Enter
	shows "idle for $(amount "$(gap_after 135321963 1000 1)"), until "
	does i i "idle for $(amount "$(gap_after 135321963 1000 2)"), until"
	does I I "longest gap of step 3: idle for $(amount "$(longest_gap 3)"), until "
	does x x "Findings of nsq-advise" "$(nsq-advise -q "$DUALPIPE" | col finding | sed -n '1s/:.*//p')"
	press Escape
	hides "Findings of nsq-advise"
	does . . "bookmark 1: "
	press 0 Tab B
	shows "bookmark 2: "
	does , , "bookmark 1: "
	does "'" "'" "Bookmarks: 1 to 9 or Enter go there"
	does '1 to 9' 2 "bookmark 2: "
	does ? h "Keys: up and down scroll" "q             quit"
	labels=$(help_keys)
	lacks "$(screen | sed -n '/Keys: up and down/,/q  *quit/p' | cut -c 23-97)" "…"
	press Escape
	hides "Keys: up and down"
	PRESSED+=(q)
	ends 0 q
	lacks "$(screen)" "nothing to look at"
	shows "nsq-gaps --by cause -w 135321963..$sums -p 693 'my run.sqlite'"
	same "$(sort <<< "$labels")" "$(printf '%s\n' "${PRESSED[@]}" | sort -u)"
}
