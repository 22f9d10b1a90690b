# nsq-tui and its terminal: signals, a closed one, Ctrl-Z, kinds of terminals, the mouse; windows from a pipe, and what it
# leaves behind: bookmarks and commands.
# bats file_tags=slow
load ../helper
load helper

setup() {
	needs_tmux
	cd "$BATS_TEST_TMPDIR"
	cp "$COMPILE" run.sqlite
	FOLDER=$BATS_TEST_TMPDIR/state/nsq/bookmarks
}

teardown() { tui_stop; }

# on_terminal CASE: what terminal.py says of it.
on_terminal() { XDG_STATE_HOME=$PWD/state TERM=xterm-256color LC_ALL=C.UTF-8 python3 "$TESTS/tui/terminal.py" "$1" nsq-tui run.sqlite; }

@test "a signal that ends it, a crash too, leaves the terminal as it was" {
	local crashes="SEGV ABRT FPE ILL BUS"
	case $NSQ_CFLAGS in *-fsanitize*) crashes= ;; esac      # a sanitizer makes other ends of them
	for signal in TERM INT QUIT HUP $crashes; do
		same "$signal ok" "$signal $(on_terminal $signal 2>&1)"
	done
}

@test "Ctrl-Z gives the terminal back until fg; ended meanwhile, it leaves the shell's alone" {
	same ok "$(on_terminal suspend 2>&1)"
	same ok "$(on_terminal kill-suspended 2>&1)"
}

@test "without its terminal it ends" {
	same ok "$(on_terminal hangup 2>&1)"
	same ok "$(on_terminal deaf 2>&1)"
	same ok "$(on_terminal apart 2>&1)"
}

@test "a terminal of no known kind is said to be one, and left alone" {
	for how in TERM=no-such-terminal TERM= TERM=dumb; do
		tui 80x24 $how nsq-tui run.sqlite
		until_true test -e "$TUI_AT/code"
		same 2 "$(cat "$TUI_AT/code")"
		holds "$(screen | tr '\n' ' ' | tr -s ' ')" "nsq-tui: TERM is '${how#TERM=}', which is not known here" "such as xterm-256color"
		left_alone
		tui_stop
	done
}

@test "no colors where they are not wanted or not there" {
	colors() { screen -e | grep -cE $'\033''\[([0-9;]*;)?(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]' || true; }
	tui 80x24 nsq-tui run.sqlite
	shows "? keys" "step 0"
	[ "$(colors)" -gt 5 ]
	ends 0
	tui_stop
	for how in NO_COLOR=1 TERM=vt100; do
		tui 80x24 $how nsq-tui run.sqlite
		shows "? keys" "step 0"
		same 0 "$(colors)"
		ends 0
		tui_stop
	done
}

@test "a small terminal shows what fits, and a larger one the rest" {
	tui 20x5 nsq-tui run.sqlite
	shows "25.092 ms" "? keys"
	press Tab
	tm resize-window -x 120 -y 30
	shows "run.sqlite  pid 724 GPU 0" "triton_red_fused_gelu_native_layer_norm_0" "gap before"
	tm resize-window -x 80 -y 24
	shows "run.sqlite" "? keys" "gap before"
	for key in B "'" ']' '[' g n y C h P; do
		tm resize-window -x 20 -y 5
		press "$key" Escape
		tm resize-window -x 3 -y 2
		press "$key" Escape Escape
	done
	tm resize-window -x 80 -y 24
	shows "run.sqlite" "? keys"
	ends 0
}

@test "a click selects, and the wheel zooms where it is turned" {
	tui 100x24 TERM=xterm-256color nsq-tui -p 694 "$DUALPIPE"
	shows ">7 " "pid 694"
	row=$(screen | grep -an '^ 32 ' | cut -d: -f1)
	type $'\033[<0;'"60;$row"$'M\033[<0;'"60;$row"m
	shows ">32 "
	before=$(screen | sed -n 's/^\([0-9.]* s\) .*▲.*/\1/p')
	type $'\033[<64;'"60;$row"M
	shows "(192.293 ms)"
	same "$before" "$(screen | sed -n 's/^\([0-9.]* s\) .*▲.*/\1/p')"
	type $'\033[<65;'"60;$row"M
	shows "(384.586 ms)"
	press h
	shows "Keys: up" "move the view to the left"
	type $'\033[<65;'"60;$row"M            # in a panel it scrolls; the heading of the keys is first
	type $'\033[<65;'"60;$row"M
	hides "move the view to the left"
	shows "Keys: up"
	press Escape Up
	shows ">7 "
	press Down                              # a click on the name of a stream selects as the key does
	shows ">32 "
	screen > by-key
	press Up
	shows ">7 "
	type $'\033[<0;'"2;$row"$'M\033[<0;'"2;$row"m
	shows ">32 "
	screen | diff by-key -
	press Up
	shows ">7 "
	tm resize-window -x 60 -y 8             # with fewer rows for the selected stream than it is set to have
	shows " 32 " ">7 "
	row=$(screen | grep -an '^ 32 ' | cut -d: -f1)
	type $'\033[<0;'"30;$row"$'M\033[<0;'"30;$row"m
	shows ">32 "
	ends 0
}

@test "times that no trace has, as of a broken one, can be moved through" {
	t=$(change "$COMPILE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 9223372036854775807 WHERE rowid = (SELECT max(rowid) FROM CUPTI_ACTIVITY_KIND_KERNEL)")
	tui 100x24 nsq-tui "$t"
	shows "1000000000 s" ">7 "
	tm resize-window -x 12 -y 8
	hides "1000000000 s"
	press Right S-Right End + -
	tm resize-window -x 100 -y 24
	shows "1000000000 s"
	press BTab
	shows "9223372036.8"
	ends 0
}

@test "windows from a pipe: it opens at the first, w and W go on" {
	nsq-window --pick all run.sqlite > windows.tsv
	tui 100x24 sh -c 'nsq-window --pick all run.sqlite | nsq-tui'
	while read -r start end; do
		shows "$(printf '0.%09d s..0.%09d s' "$start" "$end")"
		press w
	done < <(col start_ns end_ns < windows.tsv)
	shows "window 1 of $(count < windows.tsv): step 2#2@"
	press W
	shows "window $(count < windows.tsv) of $(count < windows.tsv): "
	press \`
	shows "$(col start_ns end_ns < windows.tsv | head -1 | { read -r a b; printf '0.%09d s..0.%09d s' "$a" "$b"; })"
	ends 0
}

@test "what y copies is printed in the end, and the shell goes on from there" {
	name=$'my \'run\'\t$x.sqlite'
	cp run.sqlite "$name"
	tui 160x24 nsq-tui "$name"
	shows "? keys"
	press s
	shows "step 8 of 0 to 9"
	press y
	shows "nsq-kernels -w "
	press y y
	shows "nsq-nvtx -w "
	press Tab + y
	shows "nsq-kernels -w "
	ends 0
	tm capture-pane -pJ | grep '^nsq-' > commands
	same 2 "$(wc -l < commands)"
	read -r first < commands
	holds "$first" "nsq-nvtx -w "
	tail -1 commands > last
	same "$(sed 's/.*-w \([0-9]*\)\.\.\([0-9]*\).*/\1 \2/' last)" "$(bash last 2> /dev/null | col start_ns end_ns | sort -u | tr '\t' ' ')"
	same "724" "$(bash last 2> /dev/null | col pid | sort -u)"
}

@test "of a process on two GPUs each has its kernels, and what y copies names the GPU" {
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE streamId <> 7")
	kernels() { nsq-streams -q -p 693 -g "$1" "$t" | col kernels | awk '{ n += $1 } END { print n }'; }
	tui 160x24 nsq-tui "$t" run.sqlite
	shows "pid 693 rank 0 GPU 0"
	press P
	shows "GPU 0  $(printf '%8d' "$(kernels 0)") kernels" "GPU 1  $(printf '%8d' "$(kernels 1)") kernels"
	press Down Enter
	shows "pid 693 rank 0 GPU 1"
	press y
	shows " -p 693 -g 1 "
	press [ S-Right ]
	shows "The marked time" "kernels ("
	press Escape P PageDown Enter
	shows "run.sqlite  pid 724"
	press y                 # times that are marked in one trace are not of another
	shows "$(nsq-streams -q run.sqlite | col start_ns end_ns | head -1 | { read -r a b; echo "nsq-kernels -w $a..$b -p 724 run.sqlite"; })"
	ends 0
}

@test "bookmarks are there the next time, in every session, and go to their process, stream and time" {
	tui 120x24 nsq-tui "$DUALPIPE"
	shows "pid 693"
	press Down Tab B
	shows "bookmark 1: "
	press p
	shows "pid 694"
	press Tab z B
	shows "bookmark 2: "
	view=$(screen | head -1)
	ends 0
	tui_stop
	same "693 694" "$(col pid < "$FOLDER"/*.tsv | tr '\n' ' ' | sed 's/ $//')"
	tui 120x24 nsq-tui "$DUALPIPE"
	shows "pid 693" ">7 "
	press 1
	shows "bookmark 1: " ">32 "
	press 2
	shows "$view"
	press ,
	shows "bookmark 1: " "pid 693"
	press .
	shows "bookmark 2: " "pid 694"
	press 3
	shows "there is no bookmark 3"
	press \' x
	hides "2 0."
	press 1
	shows "bookmark 1: " "pid 693"
	ends 0
	same 693 "$(col pid < "$FOLDER"/*.tsv)"
	same "$(nsq-kernels -q -w "$FOLDER"/*.tsv | count)" "$(nsq-kernels -q -w "$(col start_ns end_ns < "$FOLDER"/*.tsv | tr '\t' ' ' | sed 's/ /../')" -p 693 -g 0 "$DUALPIPE" | count)"
}

@test "a file that holds no bookmarks is said and left alone" {
	tui 120x24 nsq-tui run.sqlite
	shows "? keys"
	press B
	shows "bookmark 1: step 0"
	ends 0
	tui_stop
	echo nonsense > "$FOLDER/$(ls "$FOLDER")"
	tui 120x24 nsq-tui run.sqlite
	shows "? keys"
	press "'"
	shows "it is left alone, and bookmarks are not saved"
	press B
	shows "bookmark 1, for this session: step 0"
	ends 0
	same nonsense "$(cat "$FOLDER"/*.tsv)"
}

@test "what is typed wrong is said, and the question stays" {
	tui 120x24 nsq-tui run.sqlite
	shows "? keys"
	press g
	type somewhere
	press Enter
	shows "'somewhere' is no place; write 1.5s" "go to ("
	press C-u
	type 5s
	press Enter
	shows "the process has events from" "go to ("
	press C-u
	type 20ms..21ms
	press Enter
	shows "0.020000000 s..0.021000000 s (1.000 ms)"
	press g
	type "+500us"
	press Enter
	shows "0.020500000 s  "
	press g
	type "#99"
	press Enter
	shows "there is no step 99; this process has steps 0 to 9"
	press a g
	type 1ms
	press Enter
	shows "0.001000000 s  "
	press L C-u
	type 0
	press Enter
	shows "'0' is not a duration"
	press C-u
	type 1500ns
	press Enter
	shows "idle for "
	press L
	shows "shortest idle gap to go to: 1500ns"
	press Escape Escape
	ends 0
}

@test "that kernels are left out is said for as long as they are, on small screens too" {
	tui 80x24 nsq-tui -p 694 "$DUALPIPE"
	shows ">7 "
	press /
	type nvjet
	press Enter Tab a
	shows "times from the start  /nvjet" "GPU 0" "(384.586 ms)"
	press a m
	type 5us
	press Enter Tab
	shows "/nvjet  from 5.000 us" "GPU 0"
	tm resize-window -x 20 -y 6
	shows "  /nv" "0 us"
	ends 0
}

@test "limits are met by what takes exactly as long" {
	gap=$(nsq-gaps -q --each run.sqlite | col dur_ns | sort -n | tail -1)
	kernel=$(nsq-kernels -q --each --work all run.sqlite | col dur_ns | sort -n | tail -1)
	tui 120x24 nsq-tui run.sqlite
	shows "? keys"
	press L C-u
	type "${gap}ns"
	press Enter
	shows "idle for $(amount "$gap"), until "
	press m
	type "${kernel}ns"
	press Enter
	shows "1 of $(nsq-kernels -q --each --work all run.sqlite | count) kernels and copies"
	ends 0
}

@test "a process without GPU work has no steps, gaps or sums, and says so" {
	t=$(change "$COMPILE" "$(drop_tables "$COMPILE" 'CUPTI_ACTIVITY_KIND_KERNEL')" "$(drop_tables "$COMPILE" 'CUPTI_ACTIVITY_KIND_MEM*')")
	tui 120x24 nsq-tui "$t"
	shows "this process has no GPU work"
	press s
	shows "no steps were found in this process"
	press i
	shows "no later gap of at least 10.000 us; L sets another limit"
	press I
	shows "the GPU is never idle"
	press x
	shows "nsq-advise finds nothing to fix"
	press Escape
	hides "nsq-advise finds"
	press [ '>' '>' ']'
	shows "The marked time"
	press Escape B
	shows "bookmark 1: time"
	press y
	shows "nsq-kernels -w "
	ends 0
}
