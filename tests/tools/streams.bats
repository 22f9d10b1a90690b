# nsq-streams: which streams compute, which communicate, and for what?
load ../helper
load ../small-traces

USE='pid start_ns end_ns gpu ctx stream class kernels comm_kernels copies busy_ns busy_pct name'
DEFAULT='SELECT pid, ga AS a, gb AS b FROM procs WHERE ga IS NOT NULL'

# uses TRACE WINDOWS: each stream with work in its process's window.  Busy is the union, by one
# pass over the work in order of start.
uses() {
	ask "$1" "WITH w AS ($2) SELECT pid, w.a, w.b, gpu, ctx, stream, class, kind, comm, max(l.a, w.a), min(l.b, w.b), name
		FROM work l JOIN streams USING (proc, pid, gpu, ctx, stream) JOIN w USING (pid)
		WHERE l.a < w.b AND l.b > w.a ORDER BY pid, gpu, ctx, stream, l.a, l.b" |
	awk -F '\t' -v OFS='\t' '
		function print_stream(   n, best) {
			best = "-"
			for (n in time) if (best == "-" || time[n] > time[best] || (time[n] == time[best] && n < best)) best = n
			printf "%s\t%d\t%d\t%d\t%.0f\t%.2f\t%s\n", was, kernels, comms, copies, busy, 100.0 * busy / length_of, best
		}
		{ key = $1 OFS $2 OFS $3 OFS $4 OFS $5 OFS $6 OFS $7 }
		key != was { if (was != "") print_stream()
			was = key; kernels = comms = copies = busy = until = 0; length_of = $3 - $2; split("", time) }
		{ kernels += $8 == "kernel"; comms += $9; copies += $8 == "copy" || $8 == "set"
		  if ($11 > until) { busy += $11 - ($10 > until ? $10 : until); until = $11 }
		  if ($8 == "kernel" || $8 == "graph") time[$12] += $11 - $10 }
		END { if (was != "") print_stream() }'
}

# bats test_tags=more
@test "every stream of every fixture is what SQL and awk say" {
	for t in $(some_or_all "$DUALPIPE" "$COPIES" "$WHOLE"); do
		run --separate-stderr nsq-streams -q "$t"
		[ "$status" -eq 0 ]
		same "$(uses "$t" "$DEFAULT")" "$(col $USE <<<"$output")"
	done
}

@test "in a window work is cut to it, and streams without work in it are left out" {
	answers nsq-streams -w 100ms..230.5ms "$DUALPIPE"
	same "$(uses "$DUALPIPE" 'SELECT pid, 100000000 AS a, 230500000 AS b FROM procs')" "$(col $USE <<<"$output")"
	answers nsq-streams -w 33ms..34ms "$COPIES"
	same "$(uses "$COPIES" 'SELECT 475 AS pid, 33000000 AS a, 34000000 AS b')" "$(col $USE <<<"$output")"
	[ "$(count <<<"$output")" -lt 5 ]
}

@test "the class is that of the whole trace, whatever the window" {
	# in this window the compute stream runs its one communication kernel and nothing else
	local a b
	read -r a b <<<"$(ask "$DUALPIPE" "SELECT a, b FROM comms WHERE pid = 693 AND class = 'compute'")"
	answers nsq-streams -p 693 -w "$((a + 10))..$((b - 10))" "$DUALPIPE"
	same "compute${TAB}1${TAB}1" "$(where stream 7 <<<"$output" | col class kernels comm_kernels)"
}

@test "a stream with copies alone is copy, one with a whole graph compute" {
	same "copy" "$(nsq-streams "$COPIES" | where stream 13 | col class)"
	t=$(change "$WHOLE" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL")
	run --separate-stderr nsq-streams -q "$t"
	same "compute${TAB}0" "$(col class kernels <<<"$output")"
}

@test "the purpose is the label that all communication kernels of the stream agree on" {
	answers nsq-streams "$DUALPIPE"
	for pid in 693 694 695 696; do
		same "-
ep_a2a
pp_p2p" "$(where pid $pid <<<"$output" | col purpose)"
	done
	same "stage2_
stage4_" "$(ask "$DUALPIPE" "SELECT DISTINCT substr(stage_range, instr(stage_range, 'stage'), 7) FROM comms WHERE stream = 32 ORDER BY 1")"
	same "pp send/recv" "$(ask "$DUALPIPE" "SELECT DISTINCT user_range FROM comms WHERE stream = 36")"
}

@test "one kernel that disagrees makes the stream mixed: unanimity, never a majority" {
	# the launch of a single all-to-all kernel stands in a stage1 range
	t=$(change "$DUALPIPE" "UPDATE NVTX_EVENTS SET text = 'layer00.stage1_f' WHERE rowid = (SELECT n.rowid FROM NVTX_EVENTS n
		JOIN CUPTI_ACTIVITY_KIND_RUNTIME c ON c.globalTid = n.globalTid AND c.start >= n.start AND c.start < n.end
		JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON k.correlationId = c.correlationId AND k.globalPid >> 24 = c.globalTid >> 24
		WHERE n.text LIKE '%.stage2_f' AND k.streamId = 32 AND c.globalTid >> 24 & 0xffffff = 693 LIMIT 1)")
	same 1 "$(ask "$t" "SELECT count(*) FROM comms WHERE pid = 693 AND stream = 32 AND stage_range LIKE '%stage1_f'")"
	answers nsq-streams "$t"
	same "mixed" "$(where pid 693 <<<"$output" | where stream 32 | col purpose)"
	same "ep_a2a" "$(where pid 694 <<<"$output" | where stream 32 | col purpose)"
	# in a window without that kernel the others agree
	local a b
	read -r a b <<<"$(ask "$t" "SELECT a, b FROM comms WHERE pid = 693 AND stage_range LIKE '%stage1_f'")"
	same "ep_a2a" "$(nsq-streams -p 693 -w "$b.." "$t" | where stream 32 | col purpose)"
	same "cp_ring" "$(nsq-streams -p 693 -w "$a..$b" "$t" | where stream 32 | col purpose)"
}

@test "stage12 is not stage1 or stage2" {
	t=$(change "$DUALPIPE" "UPDATE NVTX_EVENTS SET text = replace(replace(text, '.stage2_', '.stage12_'), '.stage4_', '.stage12_') WHERE text LIKE 'layer%'")
	# each takes its own folded range, and forward and backward differ
	same "mixed" "$(nsq-streams -p 693 "$t" | where stream 32 | col purpose)"
	same "layer#.stage#_f" "$(nsq-streams -p 693 -w ..60ms "$t" | where stream 32 | col purpose)"
}

@test "a kernel that no rule matches takes the folded name of its innermost range outside NCCL's domain" {
	same "$(ask "$DDP" "SELECT user_range FROM comms" | fold | sort -u)" \
		"$(nsq-streams -q "$DDP" | where class comm | col purpose)"
	[ "$(ask "$DDP" "SELECT count(*) FROM ranges WHERE domain = 'NCCL' AND pid = 1084")" -gt 0 ]
}

@test "NCCL's domain is known by its name, not by its number" {
	t=$(change "$DDP" "UPDATE NVTX_EVENTS SET domainId = 77 WHERE domainId = 1 AND globalTid >> 24 & 0xffffff = 1084")
	same "$(nsq-streams -q "$DDP" | without trace)" "$(nsq-streams -q "$t" | without trace)"
	# a domain of another name is one of the user's own
	t=$(change "$DDP" "UPDATE NVTX_EVENTS SET text = 'Mine' WHERE eventType = 75")
	holds "$(nsq-streams -q "$t" | where class comm | col purpose)" "ncclAllReduce"
}

@test "--rules gives the purposes" {
	printf '%s\n' "stage2${TAB}dispatch" "stage4${TAB}combine" > "$BATS_TEST_TMPDIR/rules"
	answers nsq-streams -p 693 --rules "$BATS_TEST_TMPDIR/rules" "$DUALPIPE"
	same "-
mixed
pp send/recv" "$(col purpose <<<"$output")"
	printf '%s\n' "stage[24]${TAB}expert" "send${TAB}pipe" > "$BATS_TEST_TMPDIR/rules"
	answers nsq-streams -p 693 --rules "$BATS_TEST_TMPDIR/rules" "$DUALPIPE"
	same "-
expert
pipe" "$(col purpose <<<"$output")"
}

@test "--rules reads the JSON of other tools" {
	echo '{"expert": ["stage2", "stage4"], "pipe": ["pp send"]}' > "$BATS_TEST_TMPDIR/rules.json"
	answers nsq-streams -p 693 --rules "$BATS_TEST_TMPDIR/rules.json" "$DUALPIPE"
	same "-
expert
pipe" "$(col purpose <<<"$output")"
	echo '{"vllm": {"llama": {"stage[24]": "moe", "pp .*": "pp"}, "qwen": {"x": "y"}}}' > "$BATS_TEST_TMPDIR/engine.json"
	answers nsq-streams -p 693 --rules "$BATS_TEST_TMPDIR/engine.json:vllm:llama" "$DUALPIPE"
	same "-
moe
pp" "$(col purpose <<<"$output")"
}

@test "--comm makes other kernels communication" {
	answers nsq-streams --comm '^saxpy$' "$COPIES"
	same "$(ask "$COPIES" "SELECT stream, sum(name = 'saxpy'), CASE WHEN sum(kind = 'kernel') = 0 THEN 'copy'
			WHEN sum(kind = 'kernel' AND name <> 'saxpy') > 0 THEN 'compute' ELSE 'comm' END FROM work GROUP BY stream")" \
		"$(col stream comm_kernels class <<<"$output")"
}

@test "streams of two GPUs are apart, and -g keeps those of one" {
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE streamId = 36")
	answers nsq-streams "$t"
	same "$(uses "$t" "$DEFAULT")" "$(col $USE <<<"$output")"
	answers nsq-streams -g 1 "$t"
	same "$(uses "$t" "$DEFAULT" | awk -F '\t' '$4 == 1')" "$(col $USE <<<"$output")"
	# compute of another GPU hides nothing
	same "0" "$(nsq-overlap -g 1 "$t" | col hidden_ns | sort -u)"
}

@test "a stream is of its process, context and number" {
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET contextId = 2 WHERE streamId = 7 AND rowid % 2")
	answers nsq-streams "$t"
	same "$(uses "$t" "$DEFAULT")" "$(col $USE <<<"$output")"
	same 16 "$(count <<<"$output")"
}

# More work than one thread goes through, of which some runs on where another takes over.
# bats test_tags=slow
@test "a hundred thousand kernels on three streams, by one thread and by four" {
	load ../small-traces
	t=$(made "INSERT INTO S VALUES (11, 'long'); WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
		INSERT INTO K SELECT 1000 * i, 1000 * i + CASE WHEN i % 100 = 27 THEN 91500 ELSE 600 + i % 5 END, 0, 1, 7 + i % 3 / 2 + (i > 90000), 0, $P5, iif(i % 100 = 27, 11, 1), iif(i % 100 = 27, 11, 1) FROM n")
	want=$(sql "$t" "SELECT streamId, count(*), sum(max(0, end - max(start, until))), iif(sum(iif(shortName = 11, end - start, 0)) > sum(iif(shortName = 1, end - start, 0)), 'long', 'gemm')
		FROM (SELECT *, ifnull(max(end) OVER (PARTITION BY streamId ORDER BY start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS until FROM ${K}KERNEL) GROUP BY 1")
	for threads in 1 4; do
		same "$want" "$(nsq-streams -q -j $threads "$t" | col stream kernels busy_ns name)"
	done
}

# ---- --why

# beside START WAITS SQL...: a trace in which stream 8 gets a kernel while one of 1 ms runs on stream 7, which starts at
# START; WAITS: stream 8 is told to wait for stream 7.
beside() {
	local start=$1 waits=$2
	shift 2
	made "ALTER TABLE K ADD gridX; ALTER TABLE K ADD gridY; ALTER TABLE K ADD gridZ; ALTER TABLE K ADD blockX; ALTER TABLE K ADD blockY; ALTER TABLE K ADD blockZ;
		ALTER TABLE K ADD registersPerThread; ALTER TABLE K ADD staticSharedMemory; ALTER TABLE K ADD dynamicSharedMemory;
		CREATE TABLE TARGET_INFO_GPU (id, name, smCount, computeMajor, computeMinor, maxWarpsPerSm, maxBlocksPerSm, maxRegistersPerSm, maxShmemPerSm);
		INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA made', 132, 9, 0, 64, 32, 65536, 233472);
		CREATE TABLE TARGET_INFO_CUDA_STREAM (streamId, processId, contextId, flag);
		INSERT INTO TARGET_INFO_CUDA_STREAM VALUES (7, 5, 1, 3), (8, 5, 1, 2);
		CREATE TABLE META_DATA_CAPTURE (name, value);
		CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId, streamId, correlationId, globalPid, syncType, eventId, eventSyncId);
		CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId, contextId, streamId, correlationId, globalPid, eventId, eventSyncId);
		INSERT INTO S VALUES (6, 'cudaStreamWaitEvent'), (7, 'add');
		INSERT INTO R VALUES (100000, 101000, $P5 + 5, 1, 2), (102000, 103000, $P5 + 5, 2, 5), (108000, 109000, $P5 + 5, 4, 2);
		INSERT INTO K VALUES (110000, 1110000, 0, 1, 7, 1, $P5, 1, 1, 132, 1, 1, 128, 1, 1, 16, 0, 0), ($start, $start + 50000, 0, 1, 8, 4, $P5, 7, 7, 4, 1, 1, 128, 1, 1, 16, 0, 0);
		INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 7, 2, $P5, 1, 1);
		INSERT INTO R SELECT 104000, 105000, $P5 + 5, 3, 6 WHERE $waits;
		INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SELECT 104000, 105000, 0, 1, 8, 3, $P5, 2, 1, 1 WHERE $waits;
		$*"
}

# why TRACE: the pairs of streams that wait.
why() { nsq-streams -q --why "$1" | col stream behind waits wait_ns both_ns why name | tr '\t' ' ' | paste -sd ';'; }

@test "--why: a stream that waits for an event, and one that is told nothing" {
	same "8 7 1 1000000 0 event gemm" "$(why "$(beside 1112000 1)")"
	same "" "$(why "$(beside 120000 0)")"
	# waits below 10 us are how long work takes to start
	same "" "$(why "$(beside 118999 0 "UPDATE K SET end = 118000 WHERE streamId = 7")")"
	# both run for a while, before it waits; the launch came when the kernel had run for 390 us
	same "8 7 1 601000 50000 event gemm" "$(why "$(beside 1112000 1 "UPDATE R SET start = start + 400000, end = end + 400000 WHERE correlationId > 1;
		INSERT INTO R VALUES (103000, 104000, $P5 + 5, 9, 2); INSERT INTO K SELECT 120000, 170000, 0, 1, 8, 9, $P5, 7, 7, 4, 1, 1, 128, 1, 1, 16, 0, 0")")"
	# the same, with work of stream 7 that overlaps, as nodes of a graph may
	same "8 7 1 601000 50000 event gemm" "$(why "$(beside 1112000 1 "UPDATE R SET start = start + 400000, end = end + 400000 WHERE correlationId > 1;
		INSERT INTO R VALUES (103000, 104000, $P5 + 5, 9, 2); INSERT INTO K SELECT 120000, 170000, 0, 1, 8, 9, $P5, 7, 7, 4, 1, 1, 128, 1, 1, 16, 0, 0;
		INSERT INTO K SELECT v, v + 20000, 0, 1, 7, 9, $P5, 7, 7, 4, 1, 1, 128, 1, 1, 16, 0, 0 FROM (SELECT 115000 AS v UNION SELECT 125000 UNION SELECT 130000)")")"
}

@test "--why: the legacy default stream, and one that does not wait for it" {
	blocking="UPDATE TARGET_INFO_CUDA_STREAM SET flag = 1 WHERE streamId = 8"
	same "8 7 1 1000000 0 default gemm" "$(why "$(beside 1112000 0 "$blocking")")"
	same "8 7 1 1000000 0 - gemm" "$(why "$(beside 1112000 0)")"
	same "8 7 1 1000000 0 - gemm" "$(why "$(beside 1112000 0 "$blocking; UPDATE TARGET_INFO_CUDA_STREAM SET flag = 1")")"
	same "" "$(why "$(beside 120000 0 "$blocking")")"
}

@test "--why: streams that share a queue, by the environment in the trace or in the manifest" {
	# a second kernel of stream 7 was launched before that of stream 8
	second="INSERT INTO R VALUES (106000, 107000, $P5 + 5, 5, 2); INSERT INTO K VALUES (1112000, 1200000, 0, 1, 7, 5, $P5, 7, 7, 4, 1, 1, 128, 1, 1, 16, 0, 0)"
	env() { echo "$second; INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', 'CUDA_DEVICE_MAX_CONNECTIONS=\"$1\"')"; }
	same "8 7 1 1002000 50000 queue add" "$(why "$(beside 1113000 0 "$(env 1)")")"
	same "8 7 1 1000000 50000 - gemm" "$(why "$(beside 1113000 0 "$(env 8)")")"
	same "8 7 1 1000000 50000 - gemm" "$(why "$(beside 1113000 0 "$second")")"
	t=$(beside 1113000 0 "$second")
	mkdir "$BATS_TEST_TMPDIR/capture"
	mv "$t" "$BATS_TEST_TMPDIR/capture/run.sqlite"
	echo '{"wall_s":1,"flags":[],"traces":[{"file":"run.sqlite"}],"environment":{"CUDA_DEVICE_MAX_CONNECTIONS":"1"}}' > "$BATS_TEST_TMPDIR/capture/manifest.json"
	same "8 7 1 1002000 50000 queue add" "$(why "$BATS_TEST_TMPDIR/capture/run.sqlite")"
	# it started before that one: the queue held nothing back
	same "" "$(why "$(beside 120000 0 "$(env 1)")")"
}

@test "--why: a GPU that the kernel beside fills, and one with room" {
	# 32 registers and 128 threads: 16 blocks on each of 132 multiprocessors
	full() { beside "$1" 0 "UPDATE K SET gridX = $2, registersPerThread = 32 WHERE streamId = 7"; }
	same "8 7 1 1000000 0 full gemm" "$(why "$(full 1112000 2112)")"
	same "8 7 1 1000000 0 - gemm" "$(why "$(full 1112000 2111)")"
	# it may start in the last wave
	same "8 7 1 990001 9999 full gemm" "$(why "$(full 1100001 4000)")"
	same "" "$(why "$(full 600000 4000)")"
}

# bats test_tags=long
@test "--why: waits for events are those of a second reading" {
	for t in "$DDP" "$DUALPIPE" "$FIXTURES/collectives-rank0.sqlite"; do
		same "$(oracle streams "$t")" "$(nsq-streams -q --why "$t" 2> /dev/null | where why event | col pid stream behind waits wait_ns | sort -n -k1,1 -k2,2 -k3,3)"
	done
}
