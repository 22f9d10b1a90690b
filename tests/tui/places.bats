# nsq-tui: matches, idle gaps, findings, the bar of keys and what is said of keys that do nothing.
load ../helper
load helper

setup() { needs_tmux; cd "$BATS_TEST_TMPDIR"; TRAIN=$FIXTURES/train.sqlite; }
teardown() { tui_stop; }

bar() { screen | tail -1; }
bar_is() { [ "$(bar)" = "$1" ]; }

# selected: the start of the selected kernel, in nanoseconds.
selected() { screen | sed -n 's/^> *\([0-9]*\)\.\([0-9]*\) s.*/\1\2/p' | tail -1 | sed 's/^0*//'; }
selected_is() { [ "$(selected)" = "$1" ]; }

# bats test_tags=long
@test "n and N go to the next and the last match, on every stream, in order of time" {
	local starts n
	mapfile -t starts < <(nsq-kernels -q --each -m 'SendRecv|elementwise' -p 693 "$DUALPIPE" 2> /dev/null | col start_ns | sort -n)
	n=${#starts[@]}
	[ "$n" -gt 5 ]
	[ "$(nsq-kernels -q --each -m 'SendRecv|elementwise' -p 693 "$DUALPIPE" 2> /dev/null | col stream | sort -u | count)" -gt 1 ]
	tui 120x40 nsq-tui -p 693 "$DUALPIPE"
	shows ">7 "
	press n
	shows "nothing is searched for: / does"
	press /
	type 'SendRecv|elementwise'
	press Enter
	shows "/SendRecv|elementwise"
	for i in 0 1 2; do
		press n
		shows "match $((i + 1)) of $n"
		until_true selected_is "${starts[i]}"
	done
	press N
	shows "match 2 of $n"
	until_true selected_is "${starts[1]}"
	press N N
	shows "no earlier match"
	press End N
	shows "match $n of $n"
	until_true selected_is "${starts[n - 1]}"
	press n
	shows "no later match"
	ends 0
}

@test "i goes to each gap over the limit, I to the longest of the step at the cursor" {
	local from to start dur next
	nsq-gaps -q --each "$TRAIN" | col start_ns dur_ns | sort -n > gaps
	tui 120x40 nsq-tui "$TRAIN"
	shows "pid 911"
	awk '$2 >= 10000' gaps | head -3 > want
	while read -r start dur; do
		press i
		shows "$(moment "$start")  idle for $(amount "$dur")" "idle for $(amount "$dur"), until "
	done < want
	{ read -r from; read -r to; } < <(nsq-window -q --skip 0 --pick all "$TRAIN" | col number start_ns | awk '$1 == 4 || $1 == 5 { print $2 }')
	read -r start dur < <(awk -v a="$from" -v b="$to" '$1 >= a && $1 < b' gaps | sort -k 2,2nr | head -1)
	press g
	type "step 4"
	press Enter
	shows "step 4"
	press I
	shows "longest gap of step 4: idle for $(amount "$dur"), until " "$(moment "$start")  "
	press '`'
	shows "$(moment "$from")  "
	press s         # another question about the steps
	shows "the longest is step "
	ends 0
}

@test "without steps, I goes to the longest gap of the process" {
	local t start dur
	t=$(change "$TRAIN" "$(drop_tables "$TRAIN" 'NVTX_EVENTS')" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 12")
	holds "$(nsq-window "$t" 2>&1)" "no steps found"
	read -r start dur < <(nsq-gaps -q --each "$t" | col start_ns dur_ns | sort -k 2,2nr | head -1)
	tui 120x40 nsq-tui "$t"
	shows "pid 911"
	press I
	shows "no steps; longest gap of the process: idle for $(amount "$dur"), until " "$(moment "$start")  "
	ends 0
}

# bats test_tags=long
@test "x lists what nsq-advise finds, and Enter goes there, also to another process" {
	local n
	nsq-advise -q "$TRAIN" | col severity recover_pct finding start_ns end_ns > found
	n=$(count < found)
	[ "$n" -gt 1 ]
	tui 120x40 nsq-tui "$TRAIN"
	shows "pid 911"
	press x
	while IFS=$TAB read -r severity pct finding _; do
		shows "$(printf '%-9s %7s  %s' "$severity" "$(printf '%.1f' "$pct") %" "${finding%%:*}")"
	done < found
	until_true bar_is "up and down choose  Esc closes this"
	press Down Enter
	hides "Findings of nsq-advise"
	shows "$(sed -n 2p found | cut -f 3 | cut -c 2-60)"
	press '`'               # a jump, from which one comes back
	shows "0.011555749 s  3.008 us"
	ends 0
	# the findings of a process that is not shown
	nsq-advise -q "$DUALPIPE" 2> /dev/null | col pid finding > found
	n=$(cut -f 1 found | grep -n -m 1 -v '^693$' | cut -d: -f 1)
	tui 120x40 nsq-tui "$DUALPIPE"
	shows "pid 693 "
	press x
	shows "Findings of nsq-advise" "pid $(sed -n 1p found | cut -f 1)  "
	for ((i = 1; i < n; i++)); do press Down; done
	press Enter
	shows "pid $(sed -n "${n}p" found | cut -f 1) "
	ends 0
}

# bats test_tags=long
@test "x of several traces lists the findings of their job, and Enter shows the trace of one" {
	for f in "$FIXTURES"/faults/jobs/job-latecpu-*.xz; do xz -dc "$f" > "$BATS_TEST_TMPDIR/$(basename "$f" .xz)"; done
	cd "$BATS_TEST_TMPDIR"
	nsq-advise -q job-latecpu-rank*.sqlite 2> /dev/null | col trace severity recover_pct finding > found
	[ "$(sed -n 2p found | cut -f 1)" = job-latecpu-rank2.sqlite ]
	tui 120x40 nsq-tui job-latecpu-rank*.sqlite
	shows "job-latecpu-rank0.sqlite  pid " "1 of 4 (p: next)"
	press x
	while IFS=$TAB read -r trace severity pct finding; do
		shows "$(printf '%-9s %7s  %s  %s' "$severity" "$([ "$pct" = - ] && echo - || printf '%.1f %%' "$pct")" "$trace" "${finding%%:*}")"
	done < found
	press Down Enter
	shows "job-latecpu-rank2.sqlite  pid " "A rank is late: rank 2: its CPU code takes longer in 'tokenize'"
	press '`'
	shows "job-latecpu-rank0.sqlite  pid "
	ends 0
}

# bats test_tags=long
@test "the last line has eight keys that fit what is at the cursor" {
	tui 80x24 nsq-tui "$TRAIN"
	until_true bar_is "? keys  q quit  z zoom  M sum up  x findings  Tab next  / search  i idle gap"
	press i
	until_true bar_is "? keys  q quit  M cause  i next gap  I longest  L limit  x findings  s slowest"
	press /
	type softmax
	press Enter Tab
	until_true bar_is "? keys  q quit  n match  z zoom  M sum up  x findings  Tab next  / search"
	press t
	until_true bar_is "? keys  q quit  t timeline  Enter show  Space open  / search  o order  w time"
	press t Home
	until_true bar_is "? keys  q quit  n match  Tab kernel  i idle gap  x findings  g go to  t tree"
	ends 0
	# a range of a thread, and no GPU work
	t=$(change "$TRAIN" "$(drop_tables "$TRAIN" 'CUPTI_ACTIVITY_KIND_KERNEL')" "$(drop_tables "$TRAIN" 'CUPTI_ACTIVITY_KIND_MEM*')")
	tui 80x24 nsq-tui "$t"
	shows "this process has no GPU work"
	press g
	type 30ms
	press Enter
	until_true bar_is "? keys  q quit  t tree  r ranges  x findings  Tab kernel  i idle gap  / search"
	ends 0
}

# bats test_tags=long
@test "a key that does nothing is said to; F1, ? and h open the help, in groups; several traces are said, and p" {
	tui 80x24 nsq-tui "$FIXTURES"/collectives-rank?.sqlite
	shows "trace 1 of 4: p shows the next, P lists them" "p process"
	press p
	shows "trace 2 of 4: p shows the next, P lists them" "collectives-rank1"
	press Z
	shows "no key 'Z'; ? lists the keys"
	press 'ü'
	shows "no key 'ü'; ? lists the keys"
	press Enter
	shows "this key does nothing here; ? lists the keys"
	press t z
	shows "no key 'z' in the tree; ? lists the keys"
	press t
	for key in F1 ? h; do
		press "$key"
		shows "Keys: up and down scroll" "   Moving" "   Zooming"
		press Escape
		hides "Keys: up and down"
	done
	ends 0
}

@test "nothing of the timeline is seen beside a panel" {
	tui 120x40 nsq-tui "$TRAIN"
	shows "pid 911"
	press h
	shows "Keys: up and down"
	same "" "$(screen | sed -n '/Keys: up/,$p' | sed '$d' | LC_ALL=C.UTF-8 sed -E 's/^(.{22}).{0,76}(.*)/\1\2/; s/ //g' | tr -d '\n')"
	press Escape
	hides "Keys: up and down"
	press C
	shows "Settings"
	same "" "$(screen | sed -n '/Settings:/,/shortest kernel/p' | LC_ALL=C.UTF-8 sed -E 's/^(.{22}).{0,76}(.*)/\1\2/; s/ //g' | tr -d '\n')"
	press Escape
	hides "Settings"
	ends 0
}
