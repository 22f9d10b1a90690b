# Cost grows with the number of events, windows, processes and threads and not with its square: what is asked here takes
# a few tenths of a second of CPU time then, and else far more than it gets.
# bats file_tags=slow
load ../helper

# within SECONDS COMMAND...: it needs no more CPU time than that.
within() { (ulimit -t "$1" && shift && "$@" > /dev/null); }

K=CUPTI_ACTIVITY_KIND_

@test "many processes: each finding is looked for among what its own process did" {
	cd "$BATS_TEST_TMPDIR"
	"$TESTS/../bench/odd" t.sqlite 1
	sqlite3 t.sqlite "UPDATE ${K}KERNEL SET streamId = 7, globalPid = globalPid + (rowid % 600 << 24); UPDATE ${K}RUNTIME SET globalTid = globalTid + (rowid % 600 << 24);
		UPDATE NVTX_EVENTS SET start = rowid * 1000 - 1000, end = rowid * 1000 - 1, text = 'step', globalTid = globalTid + (rowid % 600 << 24)"
	within 3 nsq-view -q -o v.html t.sqlite
}

@test "many threads: who waits for a copy is asked of those that wait" {
	cd "$BATS_TEST_TMPDIR"
	"$TESTS/../bench/odd" t.sqlite 8
	sqlite3 t.sqlite "UPDATE ${K}RUNTIME SET globalTid = globalTid + rowid; CREATE TABLE ${K}MEMCPY AS
		SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid, 4096 AS bytes, 1 AS copyKind FROM ${K}KERNEL; DELETE FROM ${K}KERNEL"
	within 2 nsq-mem -q --each t.sqlite
	sqlite3 t.sqlite "INSERT INTO StringIds VALUES (4, 'cudaDeviceSynchronize'); INSERT INTO ${K}RUNTIME SELECT start + 300, end + 3000, globalTid, correlationId + 1000000, 4 FROM ${K}RUNTIME"
	within 2 nsq-mem -q --each t.sqlite
}

@test "many threads that wait for the device all the time: what each of them does is not compared with all that was launched" {
	cd "$BATS_TEST_TMPDIR"
	"$TESTS/../bench/odd" t.sqlite 16
	sqlite3 t.sqlite "INSERT INTO StringIds VALUES (4, 'cudaDeviceSynchronize'); INSERT INTO ${K}RUNTIME SELECT rowid, 80000000, globalTid + rowid, correlationId + 1000000, 4 FROM ${K}RUNTIME WHERE rowid % 4 = 0"
	for tool in threads gaps; do
		within 2 nsq-$tool -q t.sqlite
	done
}

@test "many windows and a call around all of them: not every window goes through all calls" {
	cd "$BATS_TEST_TMPDIR"
	"$TESTS/../bench/odd" t.sqlite 16
	sqlite3 t.sqlite "INSERT INTO ${K}RUNTIME SELECT 0, max(end), globalTid, 0, 1 FROM ${K}RUNTIME"
	awk 'BEGIN { print "start_ns\tend_ns"; for (i = 0; i < 8000; i++) print i * 10000 "\t" i * 10000 + 10000 }' > w.tsv
	for tool in api "api --each" "find launch" threads; do
		within 2 nsq-$tool -q -w w.tsv t.sqlite
	done
}

@test "many windows and GPUs: what was summed up and waits to become rows takes as much memory as there is of it" {
	if grep -q __asan_init "$NSQ_BIN/nsq-ledger"; then skip "the sanitizer takes memory of its own"; fi
	cd "$BATS_TEST_TMPDIR"
	"$TESTS/../bench/odd" t.sqlite 1 gpus
	awk 'BEGIN { print "start_ns\tend_ns"; for (i = 0; i < 32; i++) print i * 150000 "\t" i * 150000 + 150000 }' > w.tsv
	run python3 - <<-'END'
		import resource, subprocess
		subprocess.run("nsq-ledger -q -j 16 -w w.tsv t.sqlite".split(), stdout=subprocess.DEVNULL, check=True)
		mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
		print("ok" if mb < 80 else "%.0f MB" % mb)
	END
	same ok "$output"
}

@test "many GPUs and processes that the trace describes: which GPU is whose is looked up, and only those are compared that run in the same time" {
	cd "$BATS_TEST_TMPDIR"
	"$TESTS/../bench/odd" t.sqlite 4
	sqlite3 t.sqlite "UPDATE ${K}KERNEL SET streamId = 7, deviceId = rowid % 2000;
		CREATE TABLE TARGET_INFO_CUDA_DEVICE AS SELECT DISTINCT deviceId AS gpuId, deviceId AS cudaId, 1 AS pid FROM ${K}KERNEL;
		CREATE TABLE TARGET_INFO_GPU AS SELECT DISTINCT 1 << 48 AS vmId, deviceId AS id, 'GPU-' || (deviceId + 1) AS uuid FROM ${K}KERNEL"
	within 1 nsq-overlap -q t.sqlite
	sqlite3 t.sqlite "UPDATE ${K}KERNEL SET deviceId = 0, end = start + 100, globalPid = globalPid + (rowid << 24); DELETE FROM TARGET_INFO_CUDA_DEVICE;
		INSERT INTO TARGET_INFO_CUDA_DEVICE SELECT 0, 0, 1 + rowid FROM ${K}KERNEL"
	within 1 nsq-overlap -q t.sqlite
}

@test "many windows, threads and ranges that cross threads: not every window goes through all ranges, nor through all steps" {
	cd "$BATS_TEST_TMPDIR"
	"$TESTS/../bench/odd" t.sqlite 16
	sqlite3 t.sqlite "UPDATE ${K}RUNTIME SET globalTid = globalTid + rowid % 500; UPDATE NVTX_EVENTS SET start = rowid * 1000 - 700, end = rowid * 1000 - 200, globalTid = globalTid + rowid % 500;
		INSERT INTO NVTX_EVENTS SELECT start, end, 60, 'crossing', globalTid, NULL, 0 FROM NVTX_EVENTS; INSERT INTO NVTX_EVENTS SELECT start, NULL, 34, 'mark', globalTid, NULL, 0 FROM NVTX_EVENTS WHERE eventType = 60;
		CREATE TABLE MPI_P2P_EVENTS AS SELECT start, end, globalTid, 1 AS textId FROM ${K}RUNTIME"
	awk 'BEGIN { print "start_ns\tend_ns"; for (i = 0; i < 8000; i++) print i * 10000 "\t" i * 10000 + 10000 }' > w.tsv
	within 12 nsq-threads -q -w w.tsv t.sqlite              # 4 to 6 seconds, for 80,000 rows
	for tool in api nvtx "nvtx --each" setup "find e" "window --list"; do
		within 6 nsq-$tool -q -w w.tsv t.sqlite
	done
}

@test "many windows and streams: not every window goes through all of them" {
	cd "$BATS_TEST_TMPDIR"
	"$TESTS/../bench/odd" t.sqlite 8 streams
	awk 'BEGIN { print "start_ns\tend_ns"; for (i = 0; i < 8000; i++) print i * 5000 "\t" i * 5000 + 5000 }' > w.tsv
	within 2 nsq-streams -q -w w.tsv t.sqlite
}

@test "many windows and steps: late ones, and what is written of a trace, are looked for among those of the window" {
	cd "$BATS_TEST_TMPDIR"
	"$TESTS/../bench/odd" t.sqlite 16
	sqlite3 t.sqlite "UPDATE ${K}KERNEL SET streamId = 7; UPDATE NVTX_EVENTS SET start = rowid * 1000 - 700, end = rowid * 1000 - 200, text = 'step'"
	awk 'BEGIN { print "start_ns\tend_ns"; for (i = 0; i < 16000; i++) print i * 5000 "\t" i * 5000 + 5000 }' > w.tsv
	within 2 nsq-nccl -q --stragglers -w w.tsv t.sqlite
	within 3 nsq-slice -q -o slice.sqlite -w w.tsv t.sqlite
	within 4 nsq-export -q -o run.json -w w.tsv t.sqlite
}

@test "many windows and names: a window without a row of some name takes no time for it" {
	cd "$BATS_TEST_TMPDIR"
	"$TESTS/../bench/odd" t.sqlite 8
	sqlite3 t.sqlite "UPDATE ${K}KERNEL SET shortName = rowid + 3; INSERT INTO StringIds SELECT rowid + 3, 'kernel' || rowid FROM ${K}KERNEL;
		UPDATE NVTX_EVENTS SET start = rowid * 1000 - 700, end = rowid * 1000 - 200, text = 'range ' || rowid"
	awk 'BEGIN { print "start_ns\tend_ns"; for (i = 0; i < 8000; i++) print i * 5000 "\t" i * 5000 + 5000 }' > w.tsv
	within 2 nsq-kernels -q --merge --spread -w w.tsv t.sqlite
	within 2 nsq-nvtx -q --exact -w w.tsv t.sqlite
	within 2 nsq-nvtx -q --exact --tree -w w.tsv t.sqlite
}

@test "ranges that cross: what has ended is not passed over range by range" {
	cd "$BATS_TEST_TMPDIR"
	"$TESTS/../bench/odd" t.sqlite 16
	sqlite3 t.sqlite "UPDATE NVTX_EVENTS SET start = rowid * 1000 - 700, end = rowid * 1000 + 2000, domainId = rowid % 3"
	within 2 nsq-nvtx -q t.sqlite
	within 2 nsq-ledger -q t.sqlite
}

@test "ranges as deep as there are events: what is around a launch is not gone through range by range" {
	cd "$BATS_TEST_TMPDIR"
	"$TESTS/../bench/odd" t.sqlite 8
	sqlite3 t.sqlite "UPDATE ${K}KERNEL SET streamId = 7, end = start + 100; UPDATE NVTX_EVENTS SET start = rowid * 500, end = 80000000 - rowid * 500"
	for tool in nvtx "nvtx --tree" "gaps --by cause" window ledger advise "slice -w 100us..200us -o s.sqlite"; do
		within 2 nsq-$tool -q t.sqlite
	done
}
