# nsq-tui's tree of ranges, driven in tmux: what it shows are the numbers of nsq-nvtx and nsq-kernels, and each key does what
# the help says.
# bats file_tags=slow
load ../helper
load ../small-traces
load helper

setup() { needs_tmux; cd "$BATS_TEST_TMPDIR"; TRAIN=$TESTS/fixtures/train.sqlite; }
teardown() { tui_stop; }

# compared OPTION...: the screen against the tools.
compared() { screen | LC_ALL=C.UTF-8 python3 "$TESTS/tui/tree.py" "$TRAIN" --adopt -p 911 -g 0 "$@"; }

# chosen: what the line above the last two names, the path of the row that is chosen.
chosen() { screen | tail -4 | head -1; }
chosen_is() { [ "$(chosen)" = "$1" ]; }

@test "ranges and kernels have the numbers of nsq-nvtx and nsq-kernels, of all of the trace and of a part" {
	tui 200x90 nsq-tui "$TRAIN"
	shows "pid 911"
	press t
	shows "range or kernel, by GPU time" "40.765 ms in 1616 kernels"
	press '*'
	shows "DeviceRadixSortOnesweepKernel"
	same "11 ranges, 41 kernels" "$(compared)"
	tui_stop
	tui 200x90 nsq-tui -w 15ms..25ms "$TRAIN"
	shows "0.015000000 s..0.025000000 s"
	press t
	shows "in view 0.015000000 s..0.025000000 s" "step #"
	press '*'
	shows "DeviceRadixSortOnesweepKernel"
	same "11 ranges, 35 kernels" "$(compared -w 15ms..25ms)"
	ends 0
}

# moves LABEL KEYS PATH: the keys of that line of the help choose another row, with that path.
moves() {
	local keys
	PRESSED+=("$1")
	read -ra keys <<< "$2"
	if chosen_is "$3"; then echo "chosen before: $3"; return 1; fi
	press "${keys[@]}"
	until_true chosen_is "$3"
}

# tree_is NAME...: these are the rows.
names() { screen | sed -n '/range or kernel/,/^$/p' | tail -n +2 | rows_of_names; }
rows_of_names() { LC_ALL=C.UTF-8 sed -E '/^$/d; s/^.{79}//; s/^ *([▸▾] )?//; s/ +$//'; }
tree_is() { [ "$(names)" = "$(printf '%s\n' "$@")" ]; }

@test "every key of the tree's help does what it says" {
	local from to labels
	tui 120x61 nsq-tui "$TRAIN"
	shows "pid 911"
	press t
	shows "range or kernel, by GPU time"
	does right Right "backward" "each of 8"
	tree_is "step #" backward forward optimizer data log "each of 8"
	moves down Down "step # > backward"
	moves End End "step #"
	moves up Up "step # > log"
	moves Home Home "step #"
	does '*' '*' "vectorized_layer_norm_kernel"
	moves PgDn PageDown "step # > optimizer"
	moves PgUp PageUp "step #"
	press Down Left Down Left Down Left Down Left Down Left
	until_true tree_is "step #" backward forward optimizer data log "each of 8"
	moves left Left "step #"
	does Space Space "▸ step #"
	press Space
	shows "backward"
	does o o "by CPU time"
	tree_is "step #" backward forward optimizer data log "each of 8"
	press o
	shows "kernel, in order"
	tree_is "step #" data forward backward optimizer log "each of 8"
	press o
	shows "by GPU time"
	does / / "search (an expression):"
	type softmax
	shows "step # > backward > cunn_SoftMaxBackwardSmem"
	press Escape
	until_true tree_is "step #" backward forward optimizer data log "each of 8"
	press /
	type softmax
	shows "step # > backward > cunn_SoftMaxBackwardSmem"
	press Enter
	shows "/softmax: 2 found"
	moves n n "step # > forward > cunn_SoftMaxForwardReg"
	moves N N "step # > backward > cunn_SoftMaxBackwardSmem"
	press / C-u
	type 'step 3$'
	shows "step # > step 3"
	press Enter
	shows "1 found"

	# Enter goes to the GPU side of the range, and ` comes back
	read -r from < <(nsq-window -q --pick 3 "$TRAIN" | col start_ns)
	does Enter Enter "ranges, GPU side" "$(moment "$from")  "
	shows "step 3 > data"
	does \` \` "step # > step 3"
	read -r to < <(nsq-window -q --pick 3 "$TRAIN" | col end_ns)
	does y y "nsq-kernels -w $from..$to -p 911 $TRAIN"
	press y
	shows "nsq-gaps --by cause -w $from..$to -p 911 $TRAIN"
	does B B "bookmark 1: "
	shows "step # > step 3"
	same "911$TAB$from$TAB$to" "$(col pid start_ns end_ns < "$BATS_TEST_TMPDIR"/state/nsq/bookmarks/*.tsv)"
	does w w "in view "
	press w
	hides "in view "
	press '/' C-u Enter Home
	until_true chosen_is "step #"
	does d 'd *' "void at::native::"
	press d
	does ? h "Keys: up and down scroll" "q             quit"
	labels=$(help_keys)
	press Escape
	hides "Keys: up and down"
	does t t "ranges, GPU side"
	# these do in the tree what they do in the timeline
	PRESSED+=(a p P g x "'" "1 to 9" , . C q)
	ends 0 q
	same "$(sort <<< "$labels")" "$(printf '%s\n' "${PRESSED[@]}" | sort -u)"
}

@test "the mouse chooses a row, opens and closes it, and scrolls" {
	tui 120x30 TERM=xterm-256color nsq-tui "$TRAIN"
	shows "pid 911"
	press t Right
	shows "each of 8"
	click() { type $'\e['"<0;90;$1M"$'\e['"<0;90;$1m"; }
	click 5
	until_true chosen_is "step # > forward"
	click 5
	shows "attention"
	click 5
	hides "attention"
	type $'\e[<65;90;5M'
	until_true chosen_is "step # > log"
	type $'\e[<64;90;5M'
	until_true chosen_is "step # > forward"
	click 1
	click 28
	press Down
	until_true chosen_is "step # > optimizer"
	ends 0
}

@test "Enter selects the stream with most of the work; a GPU has a tree of its own, open as that of the last one" {
	t=$(made "INSERT INTO S VALUES (9, 'norm');
		INSERT INTO N VALUES (100, 200, 59, 'step 7', $P5 + 5, NULL, 0), (110, 150, 59, 'f', $P5 + 5, NULL, 0);
		INSERT INTO R VALUES (105, 106, $P5 + 5, 1, 2), (115, 116, $P5 + 5, 2, 2), (125, 126, $P5 + 5, 3, 2), (126, 127, $P5 + 5, 4, 2);
		INSERT INTO K VALUES (1000, 1100, 0, 1, 7, 1, $P5, 1, 1), (1200, 1210, 0, 1, 7, 2, $P5, 1, 1), (1500, 1600, 0, 1, 9, 3, $P5, 9, 9),
		(1600, 1900, 1, 2, 7, 4, $P5, 9, 9)")
	tui 120x30 nsq-tui "$t"
	shows ">7 "
	press t Right Down
	until_true chosen_is "step 7 > f"
	shows "210 ns in 3 kernels"
	press Enter
	shows ">9 " "0.000001500 s  100 ns  norm"
	same process "$(nsq-window -q "$t" | col rule)"
	press s
	shows "no steps were found in this process, which nsq-window takes as a whole"
	press g
	type 'step 0'
	press Enter
	hides "go to ("
	shows "no steps were found in this process"
	press \` Down Down
	until_true chosen_is "step 7 > gemm"
	press Enter
	shows ">7 " "0.000001000 s  100 ns  gemm"
	press \` p
	shows "GPU 1  300 ns in 1 kernel" "  300 ns 100.00% ██████████       0 ns        0     100 ns      60 ns       1 ▾ step 7"
	ends 0
}

@test "the tree is that of the process and GPU that are shown, also of another trace" {
	tui 120x40 nsq-tui "$DUALPIPE" "$TRAIN"
	shows "pid 693"
	press t
	for pid in 693 694 695 696 911; do
		[ "$pid" = 693 ] || press p; [ "$pid" = 911 ] && t=$TRAIN || t=$DUALPIPE
		shows "pid $pid" "range or kernel"
		nsq-nvtx -q --tree --depth 0 --adopt -p "$pid" -g 0 "$t" | col gpu_incl_ns cpu_ns count |
			while read -r gpu cpu count; do echo "$(amount "$gpu") $(amount "$cpu") $count"; done > want
		screen | LC_ALL=C.UTF-8 sed -nE '/range or kernel/,/^$/s/^ *([0-9.]+ [num]?s) +[0-9.]+%.{31} *([0-9.]+ [num]?s) +[0-9.]+ [num]?s +([0-9]+) .*/\1 \2 \3/p' | diff want -
	done
	ends 0
}

@test "the tree on a small screen, one that grows, one without UTF-8 and colors; names that would control it" {
	t=$(made "INSERT INTO N VALUES (100, 200, 59, 'a' || char(27) || '[2J' || char(10) || 'b', $P5 + 5, NULL, 0), (110, 150, 59, 'inner', $P5 + 5, NULL, 0);
		INSERT INTO R VALUES (105, 106, $P5 + 5, 1, 2), (115, 116, $P5 + 5, 2, 2);
		INSERT INTO K VALUES (1000, 1100, 0, 1, 7, 1, $P5, 1, 1), (1200, 1500, 0, 1, 7, 2, $P5, 1, 1)")
	tui 20x5 nsq-tui "$t"
	shows "? keys"
	press t
	shows "    400 ns ▸ a\\x…0ab"
	press Right Down
	shows "    300 ns  ▸ inner"
	tm resize-window -x 80 -y 24
	shows "    400 ns 100.00% ██████████     100 ns       1 ▾ a\\x1b[2J\\x0ab" "    300 ns  75.00% ███████▌        40 ns       1   ▸ inner"
	until_true chosen_is 'a\x1b[2J\x0ab > inner'
	tm resize-window -x 1 -y 1
	press Up Down
	tm resize-window -x 200 -y 50
	shows "range or kernel, by GPU time" "▸ inner"
	ends 0
	tui_stop
	tui 80x24 TERM=vt100 LC_ALL=C nsq-tui "$t"
	shows ">7"
	press t Right
	shows "    300 ns  75.00% #######=        40 ns       1   > inner" "v a\\x1b[2J\\x0ab"
	ends 0
}

@test "names of the backward pass are shown by the word that matters, and whole where there is room or with d" {
	local whole='autograd::engine::evaluate_function: BmmBackward0, op_id = 77, sizes = [[4, 512, 768], [], []], input_op_ids = [(88686,0)]'
	t=$(made "INSERT INTO N VALUES (100, 200, 59, 'step', $P5 + 5, NULL, 0), (110, 150, 59, '$whole', $P5 + 5, NULL, 0);
		UPDATE S SET value = 'void a_kernel_whose_name<int, float, double, at::native::SomeFunctor<float>, 4, 4>(int, float, double)' WHERE id = 1;
		INSERT INTO R VALUES (115, 116, $P5 + 5, 1, 2);
		INSERT INTO K VALUES (1000, 1100, 0, 1, 7, 1, $P5, 1, 1)")
	tui 80x24 nsq-tui "$t"
	shows "0.000001000 s  100 ns  void a_kernel_whose_name<int, float, double," "at::native::SomeFunctor<float>, 4, 4>(int, float, double)" \
		"step > BmmBackward0"
	lacks "$(screen)" "evaluate_function" "op_id"
	press d
	shows "step > autograd::engine::evaluate_function: BmmBackward0, op_id = 77, sizes =" "input_op_ids = [(88686,0)]"
	press d t Right Down
	shows "▸ BmmBackward0" "step > autograd::engine::evaluate_function: BmmBackward0, op_id" "input_op_ids"
	ends 0
}
