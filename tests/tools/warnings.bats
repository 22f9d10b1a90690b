# What makes numbers untrustworthy is said by the tools whose numbers it makes so, and by no other.
load ../helper

# said TOOL... : the lines that the command writes to stderr.
said() { "$@" 2>&1 >/dev/null; }

# share_of TRACE: what nsq-setup --facts says of shared GPUs.
share_of() { nsq-setup --facts "$1" | where key suspicious.shared_gpu | col value; }

# bats test_tags=more
@test "every tool that counts the events of a process says once that some were lost" {
	mapfile -t tools < <(first_few 4 nsq-kernels "nsq-nvtx --tree" nsq-gaps "nsq-api --launch" nsq-setup "nsq-kernels --by nvtx" nsq-nvtx \
		nsq-api "nsq-api --by thread" nsq-mem "nsq-mem --each" nsq-streams nsq-overlap)
	for tool in "${tools[@]}"; do
		echo "$tool"
		same 1 "$(said $tool "$DDP" | grep -c "process 1085 in '$DDP' lost events, numbers are too low: thread 1117 has 104 NCCL ranges")"
		# not where another process is asked about
		same 1 "$(said $tool -p 1085 "$DDP" | grep -c "process 1085 in .* lost events")"
		lacks "$(said $tool -p 1084 "$DDP")" "lost events"
	done
}

@test "launches without kernels are lost kernels, also to tools that load neither" {
	t=$(change "$COMPILE" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid % 4")
	n=$(ask "$t" "SELECT count(*) FROM work WHERE kind = 'kernel'")
	[ "$n" -gt 10 ]
	for tool in nsq-setup nsq-kernels nsq-nvtx nsq-api nsq-mem; do
		holds "$(said $tool "$t" | grep lost)" "launches but only $n kernels"
		lacks "$(said $tool "$COMPILE")" "lost"
	done
}

@test "launches that were captured or failed are no lost kernels" {
	# both threads capture all but the first 30 launches
	capture="INSERT INTO StringIds VALUES (99001, 'cudaStreamBeginCapture_v10000'), (99002, 'cudaStreamEndCapture_v10000');
		CREATE TEMP TABLE launches AS SELECT start, globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId WHERE value GLOB '*Launch*' ORDER BY start;
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, returnValue)
			SELECT DISTINCT at, at, 0, globalTid, 0, 99001, 0 FROM launches, (SELECT start - 1 AS at FROM launches LIMIT 1 OFFSET 30);"
	lose="DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 30;"
	t=$(change "$COMPILE" "$lose" "$capture")
	for tool in nsq-setup nsq-kernels nsq-nvtx nsq-api "nsq-gaps"; do lacks "$(said $tool "$t")" "lost"; done
	# one that ends at once, or that another thread makes
	for rest in "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, returnValue)
			SELECT start, end, 0, globalTid, 0, 99002, 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId = 99001" \
		"UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid + 1000 WHERE nameId = 99001"; do
		t=$(change "$COMPILE" "$lose" "$capture" "$rest")
		holds "$(said nsq-kernels "$t")" "too low: 300 launches but only 30 kernels"
	done
	t=$(change "$COMPILE" "$lose" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue = 222 WHERE rowid % 4")
	lacks "$(said nsq-kernels "$t")" "lost"
	t=$(change "$COMPILE" "$lose" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue = 222 WHERE rowid % 4 = 0")
	holds "$(said nsq-kernels "$t")" "launches but only 30 kernels"
}

@test "a process with several signs of loss has one line, which counts them" {
	t=$(change "$DDP" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid >> 24 & 0xffffff = 1085 AND rowid % 8")
	same 1 "$(said nsq-kernels "$t" | grep -c "process 1085 .*; nsq-setup --facts has 1 more sign")"
	same 2 "$(nsq-setup --facts "$t" | where key suspicious.lost | count)"
}

@test "nsys's own diagnostics are quoted by --facts and warned of by no tool" {
	t=$(change "$COPIES" "INSERT INTO DIAGNOSTIC_EVENT (timestamp, timestampType, source, severity, text) VALUES
		(1, 1, 1, 2, 'Not all CUDA events might have been collected.'), (2, 1, 1, 2, 'Not all CUDA events might have been collected.'),
		(3, 1, 1, 1, 'Not all NVTX events might have been collected.'), (4, 1, 1, 1, 'Number of CUPTI events produced: 3')")
	same "Not all CUDA events might have been collected.
Not all NVTX events might have been collected." "$(nsq-setup --facts "$t" | where key suspicious.diagnostic | col value)"
	for tool in nsq-setup nsq-kernels nsq-nvtx nsq-api nsq-mem nsq-streams; do
		same "$(said $tool "$COPIES")" "$(said $tool "$t")"
	done
	same "" "$(nsq-setup --facts "$COPIES" | where key suspicious.diagnostic | col value)"
	# one that is about a process says of which: it may be another than the reader's
	t=$(change "$COPIES" "INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 1, 1, 2, 'Buffers were dropped.', 77 << 24), (1, 1, 1, 2, 'Buffers were dropped.', 78 << 24)")
	same "process 77: Buffers were dropped.
process 78: Buffers were dropped." "$(nsq-setup --facts "$t" | where key suspicious.diagnostic | col value)"
}

@test "calls without GPU activity under WSL2 are not the flush interval's fault" {
	none="DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY; DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET;"
	wsl="UPDATE TARGET_INFO_SYSTEM_ENV SET value = CASE name WHEN 'NvDriverVersion' THEN '551.61' WHEN 'SupportsGpuCtxsw' THEN '0' ELSE value END;"
	# by what a capture says besides, and by its kernel
	for host in "$wsl" "UPDATE TARGET_INFO_SYSTEM_ENV SET value = '5.15.146.1-microsoft-standard-WSL2' WHERE name = 'SoftwareReleaseVersion'"; do
		t=$(change "$COPIES" "$none $host")
		holds "$(said nsq-kernels "$t")" "outside WSL2" "launches but no kernels"
		lacks "$(said nsq-kernels "$t")" "flush"
		holds "$(nsq-setup --facts "$t" | where key suspicious.lost | col value)" "outside WSL2"
	done
	# Linux, whose drivers may be of two numbers too; and WSL2 with GPU work
	t=$(change "$COPIES" "$none $wsl UPDATE TARGET_INFO_SYSTEM_ENV SET value = '1' WHERE name = 'SupportsGpuCtxsw'")
	lacks "$(said nsq-kernels "$t")" "WSL2"
	lacks "$(said nsq-kernels "$(change "$COPIES" "$wsl")")" "WSL2"
}

@test "migrations of unified memory have no launch, and none is missing" {
	same 11 "$(sql "$COPIES" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind >= 11")"
	same "100.00" "$(nsq-setup "$COPIES" | col launched_pct)"
	same "" "$(nsq-setup --facts "$COPIES" | where key suspicious.unlaunched | col value)"
	# with nothing but migrations there is nothing to have a share of
	t=$(change "$COPIES" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET;
		DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind < 11; UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = 11 + rowid % 3")
	same "-" "$(nsq-setup -q "$t" | col launched_pct)"
	same "um_d2d um_d2h um_h2d " "$(nsq-mem -q --by kind "$t" | col kind | sort | tr '\n' ' ')"
}

@test "without the calls nothing is said to lack a launch, nor to need more ranges" {
	t=$(change "$COMPILE" "DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME")
	same "-" "$(nsq-setup -q "$t" | col launched_pct)"
	same "" "$(nsq-setup --facts "$t" | where key suspicious.unlaunched | col value)"
	same "nsys profile --trace=cuda" "$(nsq-setup --facts "$t" | where key missing.launches | col value)"
	mentions "100.00 % of the GPU time in '$t' is in no range" "launch calls were not captured" -- nsq-nvtx "$t"
	lacks "$stderr" annotate
	# where the calls are there and the ranges are not, ranges would help
	t=$(change "$COMPILE" "DELETE FROM NVTX_EVENTS WHERE rowid % 100")
	mentions "annotate more" -- nsq-nvtx "$t"
	same "" "$(nsq-setup --facts "$t" | where key missing.launches | col value)"
}

# bats test_tags=more
@test "processes whose work overlaps on one GPU share it" {
	holds "$(share_of "$DUALPIPE")" "processes 693, 694, 695, 696 share GPU 0"
	holds "$(share_of "$DUALPIPE_2023")" "processes 1250, 1251, 1252, 1253 share GPU 0"
	holds "$(share_of "$DDP")" "processes 1084, 1085 share GPU 0"
	mentions "processes 693, 694, 695, 696 share GPU 0 in '$DUALPIPE'" "kernel times include waiting" -- nsq-overlap "$DUALPIPE"
	mentions "share GPU 0" -- nsq-overlap --total "$DUALPIPE"
	answers nsq-overlap -q "$DUALPIPE"
	for t in $(first_few 2 "$COPIES" "$NODES" "$COMPILE"); do
		same "" "$(share_of "$t")"
		lacks "$(said nsq-overlap "$t")" share
	done
}

@test "processes on GPUs of their own share none, whatever each calls its own" {
	second="INSERT INTO TARGET_INFO_GPU (vmId, id, name, busLocation, uuid) SELECT vmId, 1, name, '0000:00:07.0', uuid FROM TARGET_INFO_GPU;"
	# ranks 0 and 1 on one, 2 and 3 on the other
	t=$(change "$DUALPIPE" "$second UPDATE TARGET_INFO_CUDA_DEVICE SET gpuId = 1 WHERE pid IN (695, 696)")
	same "processes 693, 694 share GPU 0
processes 695, 696 share GPU 0" "$(share_of "$t" | sed 's/;.*//')"
	# each on its own bus
	t=$(change "$DDP" "$second UPDATE TARGET_INFO_CUDA_DEVICE SET gpuId = 1 WHERE pid = 1085")
	same "" "$(share_of "$t")"
	lacks "$(said nsq-overlap "$t")" share
	# two uuids at one place, as GPUs of different machines have
	t=$(change "$DDP" "$second UPDATE TARGET_INFO_CUDA_DEVICE SET gpuId = 1 WHERE pid = 1085;
		UPDATE TARGET_INFO_GPU SET busLocation = 'x', uuid = 'GPU-00000000-0000-0000-0000-00000000000' || (1 + id)")
	same "" "$(share_of "$t")"
	# one uuid under two numbers
	t=$(change "$DDP" "$second UPDATE TARGET_INFO_CUDA_DEVICE SET gpuId = 1 WHERE pid = 1085;
		UPDATE TARGET_INFO_GPU SET uuid = 'GPU-1'; UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE globalPid >> 24 & 0xffffff = 1085;
		UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET deviceId = 1 WHERE globalPid >> 24 & 0xffffff = 1085;
		UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET deviceId = 1 WHERE globalPid >> 24 & 0xffffff = 1085;
		UPDATE TARGET_INFO_CUDA_DEVICE SET cudaId = 1 WHERE pid = 1085")
	holds "$(share_of "$t")" "processes 1084, 1085 share one GPU under different numbers"
	# if only one has a uuid, the place counts
	t=$(change "$DDP" "$second UPDATE TARGET_INFO_CUDA_DEVICE SET gpuId = 1 WHERE pid = 1085;
		UPDATE TARGET_INFO_GPU SET busLocation = 'x'; UPDATE TARGET_INFO_GPU SET uuid = 'GPU-1' WHERE id = 1")
	holds "$(share_of "$t")" "processes 1084, 1085 share GPU 0"
	# with two GPUs and nothing that says who has which, nothing is said
	t=$(change "$DDP" "$second DROP TABLE TARGET_INFO_CUDA_DEVICE")
	same "" "$(share_of "$t")"
}

@test "processes that work one after the other share nothing" {
	later=$(for k in KERNEL MEMCPY MEMSET; do
		echo "UPDATE CUPTI_ACTIVITY_KIND_$k SET start = start + 100000000000, end = end + 100000000000 WHERE globalPid >> 24 & 0xffffff = 1085;"; done)
	t=$(change "$DDP" "$later")
	same "100.00" "$(nsq-setup -q -p 1085 "$t" | col launched_pct)"
	same "" "$(share_of "$t")"
}

# bats test_tags=long
@test "processes of different traces that share a GPU are noticed by every tool that is given both, in one line" {
	a=$FIXTURES/collectives-rank0.sqlite b=$FIXTURES/collectives-rank1.sqlite
	line="ranks 0, 1 of different traces share one GPU, so kernel times include waiting"
	for tool in nsq-setup "nsq-setup --facts" nsq-overlap "nsq-gaps --by cause" nsq-stalls nsq-path nsq-nccl nsq-ledger nsq-advise \
		"nsq-sql select(1)from(gaps)"; do
		same 1 "$(said $tool "$a" "$b" | grep -c "$line")" || { echo "$tool"; false; }
	done
	lacks "$(said nsq-overlap "$a")$(said nsq-overlap "$b")" "share"
	lacks "$(said nsq-kernels "$a" "$b")" "share"
	lacks "$(said nsq-gaps "$DUALPIPE" "$COPIES")" "of different traces"
	# the finding, and the command that shows it
	answers nsq-advise -q -f tsv "$a" "$b"
	same "ranks 0, 1 of different traces share one GPU" "$(where kind shared <<<"$output" | col finding | sed 's/.*: //')"
	same "ranks 0, 1 of different traces share one GPU" "$($(where kind shared <<<"$output" | col evidence) 2>/dev/null | col words)"
	nsq-report -q -o "$BATS_TEST_TMPDIR/report" "$a" "$b" > /dev/null
	holds "$(< "$BATS_TEST_TMPDIR/report/report.md")" "ranks 0, 1 of different traces share one GPU"
}

@test "traces share a GPU only if it is the same and they work at the same time" {
	a=$FIXTURES/collectives-rank0.sqlite b=$FIXTURES/collectives-rank1.sqlite
	for change in "UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + 1000000000" "DROP TABLE TARGET_INFO_SESSION_START_TIME" \
		"UPDATE TARGET_INFO_GPU SET busLocation = '0000:00:07.0'" "UPDATE TARGET_INFO_GPU SET uuid = 'GPU-1'"; do
		lacks "$(said nsq-gaps "$a" "$(change "$b" "$change")")" "share" || { echo "$change"; false; }
	done
	# a uuid tells it wherever it is; without a rank it is told by pid and file
	gpu="UPDATE TARGET_INFO_GPU SET uuid = 'GPU-1', busLocation = CAST(random() AS TEXT); DELETE FROM NVTX_EVENTS"
	a=$(change "$a" "$gpu") b=$(change "$b" "$gpu")
	holds "$(said nsq-gaps "$a" "$b")" "processes 4731@${a##*/}, 4736@${b##*/} of different traces share one GPU"
	# one after the other, and in a gap of the other
	utc="(SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME)"
	half=$(sql "$FIXTURES/collectives-rank0.sqlite" "SELECT (min(start) + max(end)) / 2 + $utc FROM CUPTI_ACTIVITY_KIND_KERNEL")
	# kept RANK WHEN: its kernels of that time alone
	kept() { change "$FIXTURES/collectives-rank$1.sqlite" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE NOT (start + $utc - $half $2)"; }
	holds "$(said nsq-gaps "$(kept 0 "< 5000000")" "$(kept 1 "> 0")")" "share"
	lacks "$(said nsq-gaps "$(kept 0 "< -9000000")" "$(kept 1 "> 0")")" "share"
	lacks "$(said nsq-gaps "$(kept 0 "NOT BETWEEN -20000000 AND 9000000")" "$(kept 1 "BETWEEN -5000000 AND 5000000")")" "share"
}

@test "a process is named by what it is, not by its launcher" {
	P="globalPid, pid, name"
	t=$(change "$COPIES" "INSERT INTO PROCESSES ($P) SELECT globalPid, pid, 'nsys-launcher' FROM PROCESSES; INSERT INTO PROCESSES ($P)
		SELECT globalPid, pid, 'zLauncher' FROM PROCESSES LIMIT 1; INSERT INTO PROCESSES ($P) SELECT globalPid, pid, 'zlauncher' FROM PROCESSES LIMIT 1")
	same w_mix "$(nsq-setup "$t" | col process)"
	main="DELETE FROM ThreadNames WHERE globalTid & 0xffffff = globalTid >> 24 & 0xffffff; INSERT INTO StringIds SELECT max(id) + 1, 'mainly' FROM StringIds;
		INSERT INTO ThreadNames (nameId, globalTid) SELECT (SELECT max(id) FROM StringIds), globalPid | pid FROM PROCESSES;
		INSERT INTO StringIds SELECT max(id) + 1, 'worker' FROM StringIds;
		INSERT INTO ThreadNames (nameId, globalTid) SELECT (SELECT max(id) FROM StringIds), globalPid | 7 FROM PROCESSES;"
	same mainly "$(nsq-setup "$(change "$COPIES" "$main UPDATE PROCESSES SET name = 'ProcessLauncher'")" | col process)"
	same mainly "$(nsq-setup "$(change "$COPIES" "$main DELETE FROM PROCESSES")" | col process)"
	same mainly "$(nsq-setup -w 0.. "$(change "$COPIES" "$main DROP TABLE PROCESSES")" | col process)"
	same w_mix "$(nsq-setup "$(change "$COPIES" "$main")" | col process)"
	same - "$(nsq-setup "$(change "$COPIES" "DROP TABLE PROCESSES; DROP TABLE ThreadNames")" | col process)"
	# a name that NVTX gives to the main thread
	t=$(change "$COPIES" "DROP TABLE PROCESSES; INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId)
		SELECT 1, 39, 'trainer', (globalTid >> 24 << 24) | (globalTid >> 24 & 0xffffff), 0 FROM NVTX_EVENTS LIMIT 1")
	same trainer "$(nsq-setup "$t" | col process)"
}

@test "that there is no GPU work is said only of traces without it" {
	none="DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid >> 24 & 0xffffff = 694;
		DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET WHERE globalPid >> 24 & 0xffffff = 694"
	t=$(change "$DUALPIPE" "$none")
	for tool in nsq-streams "nsq-overlap --total" nsq-gaps; do
		table "pid start_ns end_ns" "694 100000000 200000000" > "$BATS_TEST_TMPDIR/w"
		run --separate-stderr $tool -w "$BATS_TEST_TMPDIR/w" "$t"
		same 0 "$(count <<<"$output")"
		holds "$(grep 'no rows' <<<"$stderr")" "work"
		holds "$(said $tool -p 694 "$t" | grep 'no rows')" "the process asked about has no GPU work"
		# a window that is skipped for another reason
		table "pid start_ns end_ns" "693 100000000 100000000" > "$BATS_TEST_TMPDIR/w"
		lacks "$(said $tool -w "$BATS_TEST_TMPDIR/w" "$t")" "no GPU work"
		lacks "$(said $tool -w "$BATS_TEST_TMPDIR/w" "$t")" "has GPU work"
	done
}

@test "a column that the trace does not have is -, not 0" {
	sql_of() { for c in $2; do echo "ALTER TABLE CUPTI_ACTIVITY_KIND_$1 DROP COLUMN $c;"; done; }
	t=$(change "$COPIES" "$(sql_of MEMCPY "bytes srcKind dstKind")" "$(sql_of MEMSET "memKind")")
	same "-${TAB}-${TAB}-${TAB}-" "$(nsq-mem -q --each "$t" | grep -v memset | col bytes gbps src dst | sort -u)"
	same "-" "$(nsq-mem -q "$t" | where kind memset | col dst)"
	same "$(nsq-mem -q --by kind "$COPIES" | where kind memset | without trace)" "$(nsq-mem -q --by kind "$t" | where kind memset | without trace)"
	same "-${TAB}-" "$(nsq-mem -q --by kind "$t" | where kind d2d | col bytes gbps)"
	t=$(change "$COPIES" "$(sql_of MEMCPY copyKind)")
	same "-
memset" "$(nsq-mem -q --by kind "$t" | col kind | sort)"
	t=$(change "$COPIES" "$(sql_of KERNEL "streamId contextId")" "$(sql_of MEMCPY "streamId contextId")" "$(sql_of MEMSET "streamId contextId")")
	same "-${TAB}-" "$(nsq-kernels -q --each "$t" | col ctx stream | sort -u)"
	same "-${TAB}-" "$(nsq-streams -q "$t" | col ctx stream)"
	t=$(change "$COPIES" "$(sql_of RUNTIME correlationId)")
	same "-" "$(nsq-setup -q "$t" | col launched_pct)"
}

@test "of a group the bytes and rates are those of the copies whose size is known" {
	t=$(change "$COPIES" "CREATE TABLE loose AS SELECT * FROM CUPTI_ACTIVITY_KIND_MEMCPY; DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY;
		ALTER TABLE loose RENAME TO CUPTI_ACTIVITY_KIND_MEMCPY;
		UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = NULL WHERE copyKind = 8 AND rowid % 4")
	same "$(sql "$t" "SELECT sum(bytes), printf('%.2f', 1.0 * sum(bytes) / sum(end - start)) FROM CUPTI_ACTIVITY_KIND_MEMCPY
		WHERE copyKind = 8 AND start >= 0 AND bytes NOT NULL")" "$(nsq-mem -q --by kind "$t" | where kind d2d | col bytes gbps)"
}

# shifted FIXTURE NS [CONDITION]: it with its work, or some of it, so much earlier.
shifted() {
	change "$FIXTURES/$1.sqlite" "$(for table in KERNEL MEMCPY MEMSET; do
		echo "UPDATE CUPTI_ACTIVITY_KIND_$table SET start = start - $2, end = end - $2 ${3:+WHERE $3};"; done)"
}

# bats test_tags=long
@test "clocks of CPU and GPU that disagree: work before its launch is said by the tools that compare the two, and nothing follows from it" {
	t=$(shifted train 800000)
	holds "$(nsq-setup --facts "$t" | where key suspicious.clocks | col value)" "process 911: 2016 of 2016 pieces of work start before the call that launches them, by up to 0.795 ms"
	for tool in nsq-gaps nsq-ledger nsq-stalls nsq-path "nsq-api --launch" nsq-advise; do
		same 1 "$(said $tool "$t" | grep -c "CPU and GPU clocks disagree in process 911")"
		lacks "$(said $tool -w 0..90ms -p 911 "$FIXTURES/train.sqlite")" "clocks"
	done
	lacks "$(said nsq-kernels "$t")" "clocks"
	same "untrusted unknown -" "$(nsq-advise -q "$t" | col severity kind recover_ns | xargs)"
	same "-" "$(nsq-advise -q --verdict "$t" | col bound)"
	lacks "$(said nsq-advise "$t")" "-bound:"
	# the other way round: a call that copies to pageable memory waits for that
	t=$(shifted graph-capture -800000)
	holds "$(nsq-setup --facts "$t" | where key suspicious.clocks | col value)" "copies to pageable memory end after the call that waits for them"
	for tool in nsq-gaps nsq-ledger nsq-stalls nsq-path "nsq-api --launch" nsq-advise; do
		same 1 "$(said $tool "$t" | grep -c "CPU and GPU clocks disagree in process ")"
	done
	# microseconds are normal, and one piece in two hundred is not the clock
	for ns in 80000 -80000; do
		t=$(shifted graph-capture $ns)
		same "" "$(nsq-setup --facts "$t" | where key suspicious.clocks | col value)"
		lacks "$(said nsq-gaps "$t")" "clocks"
	done
	t=$(shifted train 800000 "rowid % 200 = 1")
	lacks "$(said nsq-gaps "$t")" "clocks"
	t=$(shifted train 800000 "rowid % 50 = 1")
	holds "$(said nsq-gaps "$t")" "CPU and GPU clocks disagree"
	# of what one call launches, each piece counts
	t=$(chain <<-END
		call 5 cudaGraphLaunch 1000000 1100000 1
		kernel 7 A 500000 510000 1 node=1
		kernel 7 B 600000 610000 1 node=2
		kernel 7 C 950000 960000 1 node=3
		kernel 7 D 1200000 1210000 1 node=4
	END
	)
	holds "$(said nsq-gaps "$t")" "2 of 4 pieces of work start before the call that launches them, by up to 0.500 ms"
	t=$(chain <<-END
		call 5 cudaMemcpyAsync 0 10 1
		copy 7 20 30 1 kind=2 src=2 dst=0
		copy 7 40 300000 1 kind=2 src=2 dst=0
	END
	)
	holds "$(said nsq-gaps "$t")" "1 of 2 copies to pageable memory end after the call that waits for them, by up to 0.300 ms"
}
