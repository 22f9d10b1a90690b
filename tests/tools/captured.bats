# --captured: what replays of a CUDA graph run is in the ranges around its capture too, in every tool that shows ranges.
load ../helper
load ../small-traces

CAPTURE=$FIXTURES/graph-capture.sqlite

brute() { oracle captured "$@"; }

# agree TRACE [adopt]: all tools say what brute force says.
agree() {
	local options=(-q --captured ${2:+--adopt})
	printf '^(s.*)\t\\1\n' > "$BATS_TEST_TMPDIR/rules"
	{
		nsq-nvtx "${options[@]}" --exact "$1" | col kernels gpu_ns gpu_incl_ns name | awk -F '\t' '$1 || $3' | sort | sed 's/^/names\t/'
		nsq-nvtx "${options[@]}" --tree --exact "$1" | col kernels gpu_ns path | awk -F '\t' '$1' | sort | sed 's/^/paths\t/'
		nsq-nvtx "${options[@]}" --each "$1" | col start_ns tid kernels gpu_ns gpu_incl_ns | sort | sed 's/^/ranges\t/'
		nsq-kernels "${options[@]}" --each "$1" | col start_ns stream nvtx | sort | sed 's/^/each\t/'
		nsq-overlap "${options[@]}" --each --comm . --rules "$BATS_TEST_TMPDIR/rules" "$1" | col start_ns stream stage | sort | sed 's/^/stages\t/'
	} > "$BATS_TEST_TMPDIR/said"
	brute names,paths,ranges,each,stages "$@" | diff - "$BATS_TEST_TMPDIR/said" &&
		same "$(brute gaps "$1")" "$(nsq-gaps -q --captured --each --min 0 "$1" | col start_ns nvtx | sort)"
}

# ---- a real trace

# bats test_tags=more
@test "every kernel of a replay is led back to the layer in which its node was captured" {
	same "2100${TAB}0" "$(brute captures "$CAPTURE")"
	tree=$(nsq-nvtx -q --captured --tree --exact "$CAPTURE")
	for row in "596379 layer 2 > attention" "592860 layer 1 > attention" "436924 layer 0 > mlp"; do
		same "${row%% *}" "$(where path "decode batch 1 > capture batch 1 > ${row#* }" <<<"$tree" | col gpu_ns)"
	done
	# by SQL, which knows that here each node is cloned once
	same "$(sql "$CAPTURE" "SELECT r.text, count(*), sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k
		JOIN CUDA_GRAPH_NODE_EVENTS c ON c.graphNodeId = k.graphNodeId AND c.originalGraphNodeId NOT NULL
		JOIN CUDA_GRAPH_NODE_EVENTS o ON o.graphNodeId = c.originalGraphNodeId
		JOIN NVTX_EVENTS r ON r.start <= o.start AND r.end > o.start AND r.text IN ('attention', 'mlp', 'embed', 'head')
		GROUP BY 1 ORDER BY 1")" "$(nsq-nvtx -q --captured "$CAPTURE" | col name kernels gpu_ns | grep -v '#\|sample' | sort)"
	if more; then agree "$CAPTURE" && agree "$CAPTURE" adopt; fi
}

@test "totals do not change, nor what was launched directly" {
	for mode in "nsq-nvtx" "nsq-nvtx --tree" "nsq-nvtx --exact"; do
		same "$($mode -q "$CAPTURE" | sum kernels gpu_ns)" "$($mode -q --captured "$CAPTURE" | sum kernels gpu_ns)"
	done
	same "$(nsq-kernels -q --by nvtx "$CAPTURE" | sum count total_ns elapsed_ns)" "$(nsq-kernels -q --captured --by nvtx "$CAPTURE" | sum count total_ns elapsed_ns)"
	same "$(nsq-gaps -q --by cause,nvtx "$CAPTURE" | sum idle_ns)" "$(nsq-gaps -q --captured --by cause,nvtx "$CAPTURE" | sum idle_ns)"
	for tool in "nsq-nvtx" "nsq-kernels --by nvtx"; do
		same "$($tool -q "$CAPTURE" | grep "sample")" "$($tool -q --captured "$CAPTURE" | grep "sample")"
	done
	# what includes the replay still does
	same "$(nsq-nvtx -q --exact "$CAPTURE" | where name 'decode batch 1' | col gpu_incl_ns)" "$(nsq-nvtx -q --captured --exact "$CAPTURE" | where name 'decode batch 1' | col gpu_incl_ns)"
}

@test "windows: what one replay runs, by layer" {
	step=$(nsq-window -q -m '^decode batch 4$' --pick 5 "$CAPTURE")
	same "70" "$(nsq-nvtx -q --captured --tree --exact <<<"$step" | sum kernels)"
	same "9 decode batch 4 > capture batch 4 > layer 2 > attention" "$(nsq-nvtx -q --captured --tree --exact <<<"$step" | col kernels path | grep 'layer 2 > attention' | tr '\t' ' ')"
	same "embed 1,layer 68," "$(nsq-nvtx -q --captured --phases <(printf '^layer\tlayer\nembed\tembed\n') <<<"$step" | col phase kernels | grep -v '^-' | sort | tr '\t\n' ' ,')"
}

@test "copies and sets of a graph, and the gaps inside a replay" {
	same "$(sql "$CAPTURE" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMSET")${TAB}attention" "$(nsq-mem -q --captured --by nvtx "$CAPTURE" | col count nvtx | grep -v sample)"
	same "attention" "$(nsq-mem -q --captured --each -m memset "$CAPTURE" | col nvtx | sort -u)"
	# before its first node the CPU had to launch the graph, and what it did then counts
	first=$(nsq-kernels -q --each "$CAPTURE" | where nvtx 'decode batch 1' | where launch_ns "$(nsq-kernels -q --each "$CAPTURE" | where nvtx 'decode batch 1' | col launch_ns | sed -n 1p)" | col start_ns | sed -n 1p)
	gaps=$(nsq-gaps -q --captured --each --min 0 "$CAPTURE")
	same "decode batch 1" "$(where end_ns "$first" <<<"$gaps" | col nvtx)"
	[ "$(where nvtx attention <<<"$gaps" | count)" -gt 900 ]
	same "" "$(nsq-gaps -q --each --min 0 "$CAPTURE" | where nvtx attention | rows)"
}

# ---- what stderr says

@test "without the option, stderr says how many kernels it would tell apart" {
	for tool in nsq-nvtx "nsq-nvtx --tree" "nsq-kernels --by nvtx" "nsq-kernels --each"; do
		mentions "2100 kernels in '$CAPTURE'" "ran in CUDA graphs" "--captured" -- $tool "$CAPTURE"
	done
	mentions "40 copies and sets" "--captured" -- nsq-mem --each "$CAPTURE"
	mentions "2140 pieces of work" "--captured" -- nsq-gaps --by nvtx "$CAPTURE"
	holds "$(nsq-overlap --comm gather "$CAPTURE" 2>&1 >/dev/null)" "communication kernels in '$CAPTURE'" "--captured"
	# nothing where no range is shown, or no graph
	for tool in nsq-kernels nsq-mem nsq-gaps "nsq-overlap --total" nsq-api; do answers $tool "$CAPTURE"; done
	lacks "$(nsq-overlap "$CAPTURE" 2>&1 >/dev/null)" "--captured"
	lacks "$(nsq-streams "$CAPTURE" 2>&1 >/dev/null)" "--captured"
	answers nsq-nvtx -q "$CAPTURE"
	answers nsq-kernels --by nvtx "$NODES"
	cp "$CAPTURE" "$BATS_TEST_TMPDIR/unranged.sqlite"
	sqlite3 "$BATS_TEST_TMPDIR/unranged.sqlite" "DROP TABLE NVTX_EVENTS"
	answers nsq-kernels --each "$BATS_TEST_TMPDIR/unranged.sqlite"
}

@test "a graph that was captured outside the profile is told apart" {
	graph=$(sql "$NODES" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE graphNodeId NOT NULL")
	mentions "$graph of the $graph kernels of CUDA graphs in '$NODES' were captured before the profile began" -- nsq-kernels --captured --by nvtx "$NODES"
	same "$(nsq-kernels -q --by nvtx "$NODES")" "$(nsq-kernels -q --captured --by nvtx "$NODES")"
	# half of the nodes were created before the profile
	t=$(change "$CAPTURE" "UPDATE CUDA_GRAPH_NODE_EVENTS SET start = start - 17000000, end = end - 17000000 WHERE graphNodeId >> 32 < 4")
	mentions "1400 of the 2100 kernels" -- nsq-nvtx --captured "$t"
	same "1400${TAB}decode batch 1" "$(nsq-nvtx -q --captured --exact "$t" | where name 'decode batch 1' | col kernels name)"
	mentions "700 kernels in" "--captured" -- nsq-nvtx "$t"
	# a trace of an older nsys has no table of nodes, or has it under another name
	t=$(change "$CAPTURE" "DROP TABLE CUDA_GRAPH_NODE_EVENTS")
	mentions "'$t' does not record where its CUDA graphs were captured, so --captured changes nothing" -- nsq-nvtx --captured "$t"
	same "$(nsq-kernels -q --by nvtx "$t")" "$(nsq-kernels -q --captured --by nvtx "$t")"
	t=$(change "$CAPTURE" "DROP TABLE IF EXISTS CUDA_GRAPH_EVENTS; ALTER TABLE CUDA_GRAPH_NODE_EVENTS RENAME TO CUDA_GRAPH_EVENTS")
	same "$(nsq-kernels -q --captured --by nvtx "$CAPTURE" | without trace)" "$(nsq-kernels -q --captured --by nvtx "$t" | without trace)"
	# graphs traced whole, or none at all
	for t in "$WHOLE" "$COMPILE"; do
		mentions "no kernels in '$t' are graph nodes" "--cuda-graph-trace=node" -- nsq-kernels --captured --by nvtx "$t"
		same "$(nsq-kernels -q --by nvtx "$t")" "$(nsq-kernels -q --captured --by nvtx "$t")"
		answers nsq-kernels --by nvtx "$t"
	done
}

# bats test_tags=long
@test "nsq-export writes the same ranges into the args of work, and says what it could tell" {
	for option in "" --adopt; do
		nsq-export -q --captured $option --force -o "$BATS_TEST_TMPDIR/x.json" "$CAPTURE" > /dev/null
		same "$(nsq-kernels -q --captured $option --each --work all "$CAPTURE" | col start_ns stream nvtx | sort)" \
			"$(jq -r '.traceEvents[] | select(.ph == "X" and .args.gpu != null) | [(.ts * 1000 | round), .args.stream, .args.nvtx // "-"] | @tsv' \
				"$BATS_TEST_TMPDIR/x.json" | sort)"
	done
	mentions "2140 pieces of work in '$CAPTURE'" "--captured" -- nsq-export --force -o "$BATS_TEST_TMPDIR/x.json" "$CAPTURE"
	answers nsq-export --captured --force -o "$BATS_TEST_TMPDIR/x.json" "$CAPTURE"
	fails 2 "'--captured' has no effect without '-o'" -- nsq-export --captured "$CAPTURE"
}

@test "nsq-find, nsq-mfu and nsq-metrics show the same ranges" {
	each() { nsq-kernels -q --captured --each "$CAPTURE" | col start_ns stream nvtx | sort; }
	same "$(each)" "$(nsq-find -q --captured --kind kernel . "$CAPTURE" | col start_ns stream nvtx | sort)"
	same "$(nsq-kernels -q --captured --by nvtx "$CAPTURE" | col count total_ns nvtx | sort)" \
		"$(nsq-mfu -q --captured --by nvtx "$CAPTURE" | col kernels gpu_ns name | sort)"
	# a metric that is always 100, sampled every millisecond: its weights are the shares of the ranges
	copy=$(change "$CAPTURE" "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
		CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT, metricId INTEGER, metricName TEXT);
		INSERT INTO TARGET_INFO_GPU_METRICS VALUES (0, 0, 'GPU', 1, 'SMs Active [Throughput %]');
		INSERT INTO GPU_METRICS WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 45)
			SELECT i * 1000000, 0, 1, 100 FROM n")
	same "$(nsq-kernels -q --captured --by nvtx "$copy" | col nvtx | sort)" "$(nsq-metrics -q --captured --by nvtx "$copy" | col nvtx | sort)"
	holds "$(nsq-metrics --by nvtx "$copy" 2>&1 >/dev/null)" "--captured"
	for tool in "nsq-mfu --by name" nsq-metrics "nsq-find --kind range x" "nsq-mem --usage"; do
		fails 2 "'--captured'" -- $tool --captured "$copy"
	done
}

@test "--captured where no range is shown is refused" {
	for tool in nsq-kernels nsq-mem nsq-gaps "nsq-gaps --by cause" "nsq-kernels --by pid"; do fails 2 "'--captured'" "drop it" -- $tool --captured "$CAPTURE"; done
	fails 2 "'--captured'" "'--total'" -- nsq-overlap --captured --total "$CAPTURE"
	fails 2 "'--captured'" "'--stragglers'" -- nsq-nccl --captured --stragglers "$CAPTURE"
}

# ---- communication in graphs: the same trace, in which some kernels count as communication

@test "stages, purposes and collectives by stage are those of the capture" {
	comm='gather|sdpa|reduce_kernel'
	want=$(sql "$CAPTURE" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName
		WHERE k.graphNodeId NOT NULL AND s.value LIKE 'vectorized_gather%'")
	for tool in nsq-overlap "nsq-nccl --by stage"; do
		holds "$($tool -q --comm "$comm" "$CAPTURE" | col stage | sort | xargs)" "decode batch"
		stages=$($tool -q --captured --comm "$comm" "$CAPTURE")
		lacks "$(col stage <<<"$stages")" "decode batch"
		holds "$(col stage <<<"$stages" | sort | xargs)" "attention" "embed"
	done
	same "$(nsq-overlap -q --comm "$comm" "$CAPTURE" | sum kernels comm_ns exposed_ns)" "$(nsq-overlap -q --captured --comm "$comm" "$CAPTURE" | sum kernels comm_ns exposed_ns)"
	t=$(change "$CAPTURE" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE shortName NOT IN (SELECT id FROM StringIds WHERE value LIKE 'vectorized_gather%') OR graphNodeId IS NULL")
	same "$want" "$(nsq-kernels -q "$t" | sum count)"
	same "decode batch #" "$(nsq-streams -q --comm gather "$t" | col purpose)"
	same "embed" "$(nsq-streams -q --captured --comm gather "$t" | col purpose)"
	same "token" "$(nsq-streams -q --captured --comm gather --rules <(printf 'embed\ttoken\n') "$t" | col purpose)"
}

# ---- by hand

# graph NODES NVTX [KERNELS]: a trace with rows of these tables; call 1 of thread 5 at 500 launches the kernel.
graph() {
	made "ALTER TABLE K ADD COLUMN graphNodeId INTEGER;
		CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, nameId INTEGER, graphNodeId INTEGER, originalGraphNodeId INTEGER);
		INSERT INTO R VALUES (500, 510, $P5 + 5, 1, 2);
		INSERT INTO K VALUES ${3-(1000, 1010, 0, 1, 7, 1, $P5, 1, 1, 40)};
		INSERT INTO N SELECT column1, column2, 59, column3, $P5 + column4, NULL, 0 FROM (VALUES $2);
		INSERT INTO CUDA_GRAPH_NODE_EVENTS SELECT column1, column1, 77, $P5 + column2, 2, column3, column4 FROM (VALUES $1)"
}

path() { nsq-nvtx -q --captured "$@" --tree --exact | col kernels path | awk -F '\t' '$1 { print $2 }'; }

@test "the chain of clones is followed to its first creation" {
	ranges="(0, 100, 'capture', 5), (10, 20, 'attention', 5), (30, 40, 'mlp', 5), (90, 99, 'instantiate', 5), (450, 600, 'step', 5)"
	direct=$(graph "(15, 5, 40, NULL)" "$ranges")
	same "step > capture > attention" "$(path "$direct")"
	same "step > capture > attention" "$(path "$(graph "(95, 5, 40, NULL), (96, 5, 40, 30), (94, 5, 30, 20), (35, 5, 20, 10), (15, 5, 10, NULL)" "$ranges")")"
	# rows in any order; two that disagree: the earlier counts
	same "step > capture > mlp" "$(path "$(graph "(35, 5, 20, NULL), (96, 5, 40, 10), (15, 5, 10, NULL), (95, 5, 40, 20), (94, 5, 40, NULL)" "$ranges")")"
	same "step > capture > attention" "$(path "$(graph "(35, 5, 20, NULL), (15, 5, 10, NULL), (95, 5, 40, 20), (95, 5, 40, 10)" "$ranges")")"
	# an original of 0, or the node itself, is none
	same "step > capture > attention" "$(path "$(graph "(15, 5, 40, 0)" "$ranges")")"
	same "step > capture > attention" "$(path "$(graph "(15, 5, 40, 40)" "$ranges")")"
	# a node created twice: the first time counts
	same "step > capture > attention" "$(path "$(graph "(35, 5, 40, NULL), (15, 5, 40, NULL)" "$ranges")")"
	# at one time by two threads: the lower thread counts, whichever comes first in the table
	for nodes in "(15, 5, 40, NULL), (15, 9, 40, NULL)" "(15, 9, 40, NULL), (15, 5, 40, NULL)"; do
		same "step > capture > attention" "$(path "$(graph "$nodes" "$ranges, (0, 100, 'other', 9)")")"
	done
}

@test "a chain without a first creation in the trace leads nowhere" {
	ranges="(0, 100, 'capture', 5), (450, 600, 'step', 5)"
	for nodes in "(15, 5, 41, NULL)" "(15, 5, 40, 39)" "(95, 5, 40, 30), (-1, 5, 30, NULL)" "(15, 5, 40, 30), (15, 5, 30, 40)" \
		"(15, 5, 40, 30), (15, 5, 30, 20), (16, 5, 20, 30)" "(-1, 5, 40, NULL), (15, 5, 40, NULL)" "(15, 16777216, 40, NULL)"; do
		t=$(graph "$nodes" "$ranges")
		same "step" "$(path "$t")" || { echo "$nodes"; false; }
		holds "$(nsq-nvtx --captured "$t" 2>&1 >/dev/null)" "1 of the 1 kernels of CUDA graphs in '$t' were captured before the profile began"
		lacks "$(nsq-nvtx "$t" 2>&1 >/dev/null)" "--captured"
	done
	# a node of zero length in time is one at its start; what ends there is closed, what starts there open
	same "step > b" "$(path "$(graph "(50, 5, 40, NULL)" "(0, 50, 'a', 5), (50, 60, 'b', 5), (450, 600, 'step', 5)")")"
}

@test "a range that is open at the capture and still at the launch stands around the launch, once" {
	t=$(graph "(15, 5, 40, NULL)" "(0, 900, 'run', 5), (5, 100, 'capture', 5), (10, 20, 'attention', 5), (450, 600, 'step', 5)")
	same "run > step > capture > attention" "$(path "$t")"
	same "attention 10 10,capture 0 10,run 0 10,step 0 10," "$(nsq-nvtx -q --captured "$t" | col name gpu_ns gpu_incl_ns | sort | tr '\t\n' ' ,')"
	same "attention 10 10,capture 0 10,run 0 10,step 0 10," "$(nsq-nvtx -q --captured --each "$t" | col name gpu_ns gpu_incl_ns | sort | tr '\t\n' ' ,')"
	# labels are tried from the innermost outwards, so step comes before run
	phases() { nsq-nvtx -q --captured --phases <(printf "$1\n") "$t" | where gpu_ns 10 | col phase; }
	same "STEP" "$(phases 'run\tRUN\nstep\tSTEP')"
	same "CAPTURE" "$(phases 'run\tRUN\nstep\tSTEP\ncapture\tCAPTURE')"
	same "RUN" "$(phases 'run\tRUN')"
	# one that ends where the launch begins is closed, and one that opens later is not around it either
	same "step > run" "$(path "$(graph "(15, 5, 40, NULL)" "(0, 500, 'run', 5), (500, 600, 'step', 5)")")"
	same "step > late" "$(path "$(graph "(700, 5, 40, NULL)" "(650, 750, 'late', 5), (450, 600, 'step', 5)")")"
}

@test "another thread captures, or launches; --adopt adds the main thread's ranges outside" {
	ranges="(0, 900, 'run', 5), (5, 100, 'capture', 9), (10, 20, 'attention', 9), (450, 600, 'step', 8), (460, 550, 'main', 5)"
	t=$(graph "(15, 9, 40, NULL)" "$ranges")
	same "run > main > capture > attention" "$(path "$t")"
	sqlite3 "$t" "UPDATE ${K}RUNTIME SET globalTid = globalTid + 3"
	same "step > capture > attention" "$(path "$t")"
	same "attention 10,capture 10,main 10,run 10,step 10," "$(nsq-nvtx -q --captured --adopt "$t" | col name gpu_incl_ns | sort | tr '\t\n' ' ,')"
	# captured by the main thread, which is still in run: with --adopt, run is around the launch, and counts once
	sqlite3 "$t" "UPDATE CUDA_GRAPH_NODE_EVENTS SET globalTid = globalTid - 4"
	same "step > run" "$(path "$t")"
	same "main 10,run 10,step 10," "$(nsq-nvtx -q --captured --adopt "$t" | col name gpu_incl_ns | grep '10$' | sort | tr '\t\n' ' ,')"
	same "step" "$(nsq-kernels -q --captured --adopt --each "$t" | col nvtx)"
	same "run" "$(nsq-kernels -q --captured --each "$t" | col nvtx)"
}

@test "node ids belong to a process, and work without a launch is in the ranges around its capture" {
	other="(2000, 2001, 0, 1, 7, 1, $P6, 1, 1, 40)"
	t=$(graph "(15, 5, 40, NULL)" "(0, 100, 'capture', 5)" "(1000, 1010, 0, 1, 7, 99, $P5, 1, 1, 40), $other")
	same "1 10 capture,1 1 -," "$(nsq-nvtx -q --captured "$t" | col kernels gpu_ns name | tr '\t\n' ' ,')"
	same "1${TAB}1" "$(brute captures "$t")"
}

# ---- all together

# bats test_tags=slow
@test "random traces: all tools agree with brute force, for any order of rows and any number of threads" {
	led=0 lost=0 least=10
	if more; then least=100; fi
	for seed in $(seeds 8 1 30); do
		t=$BATS_TEST_TMPDIR/$seed.sqlite
		brute make "$t" "$seed"
		agree "$t" || { echo "seed $seed"; false; }
		agree "$t" adopt || { echo "seed $seed with adopt"; false; }
		read -r a b < <(brute captures "$t")
		led=$((led + a)) lost=$((lost + b))
		[ $((seed % 8)) = 0 ] || continue
		for mode in "nsq-nvtx --tree" "nsq-kernels --each" "nsq-gaps --each --min 0"; do
			$mode -q --captured -j 1 "$t" > "$BATS_TEST_TMPDIR/one"
			sqlite3 "$t" "$(shuffling "$t")"
			$mode -q --captured -j 4 "$t" | cmp - "$BATS_TEST_TMPDIR/one"
		done
	done
	echo "$led led back, $lost not"
	[ $led -gt $least ]
	[ $lost -gt $least ]
}

# bats test_tags=slow
@test "chains as long as the trace take no longer than short ones" {
	t=$(graph "(15, 5, 1, NULL)" "(0, 100, 'capture', 5)" "(1000, 1010, 0, 1, 7, 1, $P5, 1, 1, 40)")
	sqlite3 "$t" "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
		INSERT INTO CUDA_GRAPH_NODE_EVENTS SELECT 20, 20, 77, $P5 + 5, 2, i, i - 1 FROM n;
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
		INSERT INTO ${K}KERNEL SELECT 2000 + i, 2001 + i, 0, 1, 7, 1, $P5, 1, 1, 300001 - i FROM n;
		INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (20, 20, 77, $P5 + 5, 2, 300001, 300003), (20, 20, 77, $P5 + 5, 2, 300002, 300001), (20, 20, 77, $P5 + 5, 2, 300003, 300002)"
	same "300001${TAB}capture" "$(timeout 300 nsq-kernels -q --captured --by nvtx "$t" | col count nvtx)"
}

@test "of two nodes that cannot be told apart otherwise the lower id comes first, in any order of rows" {
	first="(1000, 1010, 0, 1, 7, 1, $P5, 1, 1, 40)" a="(1020, 1030, 0, 1, 7, 1, $P5, 1, 1, 40)" b="(1020, 1030, 0, 1, 7, 1, $P5, 1, 1, 41)"
	for kernels in "$first, $a, $b" "$first, $b, $a"; do
		t=$(graph "(15, 5, 40, NULL), (35, 5, 41, NULL)" "(10, 20, 'a', 5), (30, 40, 'b', 5)" "$kernels")
		same "a" "$(nsq-gaps -q --captured --each --min 0 "$t" | where start_ns 1010 | col nvtx)"
	done
}
