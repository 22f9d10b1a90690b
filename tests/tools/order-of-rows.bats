# The order of rows where the first keys do not decide: missing values, equal numbers, and trees.
load ../helper
load ../small-traces

@test "a missing number comes before every number, and a missing text before every text" {
	# two kernels at one time on one stream: only the second has a launch
	for ids in "1, 2" "2, 1"; do
		t=$(made "INSERT INTO K VALUES (100, 200, 0, 1, 7, ${ids%,*}, $P5, 1, 1), (100, 200, 0, 1, 7, ${ids#*, }, $P5, 1, 1); INSERT INTO R VALUES (50, 60, $P5 + 5, 1, 2)")
		same "- 50" "$(nsq-kernels -q --each "$t" | col launch_ns | xargs)"
	done
	# one range in two domains, of which one has no name
	for order in "(10, 20, 59, 'x', $P5 + 5, NULL, 0), (30, 40, 59, 'x', $P5 + 5, NULL, 3)" "(10, 20, 59, 'x', $P5 + 5, NULL, 3), (30, 40, 59, 'x', $P5 + 5, NULL, 0)"; do
		t=$(made "INSERT INTO N VALUES (0, NULL, 75, 'A', $P5 + 5, NULL, 3), $order")
		same "- A" "$(nsq-nvtx -q "$t" | col domain | xargs)"
		same "- A" "$(nsq-nvtx -q --tree "$t" | col domain | xargs)"
	done
}

@test "largest first: a missing number comes last" {
	# a start/end range has no GPU time; a push/pop range without work has 0
	t=$(made "INSERT INTO N VALUES (10, 90, 60, 'cross', $P5 + 5, NULL, 0), (10, 20, 59, 'idle', $P5 + 5, NULL, 0), (30, 40, 59, 'busy', $P5 + 5, NULL, 0);
		INSERT INTO R VALUES (35, 36, $P5 + 5, 1, 2); INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 1, 1)")
	same "busy 100,idle 0,cross -," "$(nsq-nvtx -q "$t" | col name gpu_ns | tr '\t\n' ' ,')"
}

# One root each: the kernels of 'most' take 20 ns, those of the others 10; 'open' is open longer than 'a' and 'b'.
@test "siblings of a tree: most GPU time first, then most CPU time, then by name, then by domain" {
	rows=("(0, 10, 59, 'b', $P5 + 5, NULL, 0)" "(20, 30, 59, 'a', $P5 + 5, NULL, 0)" "(40, 51, 59, 'open', $P5 + 5, NULL, 0)" "(60, 70, 59, 'most', $P5 + 5, NULL, 0)"
		"(80, 90, 59, 'a', $P5 + 5, NULL, 3)")
	for order in "0 1 2 3 4" "4 3 2 1 0" "2 4 0 3 1"; do
		sql=""
		for i in $order; do sql+=", ${rows[i]}"; done
		t=$(made "INSERT INTO N VALUES (0, NULL, 75, 'A', $P5 + 5, NULL, 3) $sql; INSERT INTO R VALUES (1, 2, $P5 + 5, 1, 2), (21, 22, $P5 + 5, 2, 2), (41, 42, $P5 + 5, 3, 2), (61, 62, $P5 + 5, 4, 2), (81, 82, $P5 + 5, 5, 2);
			INSERT INTO K VALUES (100, 110, 0, 1, 7, 1, $P5, 1, 1), (120, 130, 0, 1, 7, 2, $P5, 1, 1), (140, 150, 0, 1, 7, 3, $P5, 1, 1), (160, 180, 0, 1, 7, 4, $P5, 1, 1), (190, 200, 0, 1, 7, 5, $P5, 1, 1)")
		same "most -,open -,a -,a A,b -," "$(nsq-nvtx -q --tree "$t" | col name domain | tr '\t\n' ' ,')"
	done
}

# The children of a range, in the same order, stand right below it.
@test "a tree is depth first: children below their parent, siblings in order" {
	t=$(made "INSERT INTO N VALUES (0, 100, 59, 'p', $P5 + 5, NULL, 0), (1, 10, 59, 'pb', $P5 + 5, NULL, 0), (20, 29, 59, 'pa', $P5 + 5, NULL, 0), (200, 300, 59, 'q', $P5 + 5, NULL, 0), (210, 220, 59, 'qa', $P5 + 5, NULL, 0),
			(230, 241, 59, 'qb', $P5 + 5, NULL, 0), (250, 260, 60, 'q', $P5 + 5, NULL, 0);
		INSERT INTO R VALUES (215, 216, $P5 + 5, 1, 2), (235, 236, $P5 + 5, 2, 2), (50, 51, $P5 + 5, 3, 2);
		INSERT INTO K VALUES (400, 410, 0, 1, 7, 1, $P5, 1, 1), (420, 430, 0, 1, 7, 2, $P5, 1, 1), (440, 450, 0, 1, 7, 3, $P5, 1, 1)")
	same "q 20,q > qb 10,q > qa 10,p 10,p > pa 0,p > pb 0,q -," "$(nsq-nvtx -q --tree "$t" | col path gpu_incl_ns | tr '\t\n' ' ,')"
}
