# Which function of the program's own made a call or launched a kernel, by call chains; and those chains for flame graphs.

load ../helper

# A process, pid 9, whose calls nsys recorded twice where it took their chains: the outer row has the chain, and is no call.
setup_file() {
	export CHAINS=$BATS_FILE_TMPDIR/chains.sqlite
	sqlite3 "$CHAINS" "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
		INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel'), (2, 'cudaLaunchKernel_v7000'), (3, 'cuLaunchKernel'), (4, 'k'), (5, 'cudaDeviceSynchronize_v3020'),
			(10, '/home/me/app'), (11, '/opt/libmodel.so'), (12, '/x/libtorch_cpu.so'), (13, '/x/libtorch_python.so'),
			(14, '/usr/bin/python3.12'), (15, '/lib/libcuda.so.580.1'), (16, '/lib/libc.so.6'), (17, '/home/me/train.py'),
			(18, '/venv/lib/python3.12/site-packages/torch/nn/linear.py'), (19, '[Unknown]'),
			(30, 'main'), (31, 'model::(anonymous namespace)::forward<int, (3)>(float*, int)'), (32, 'at::_ops::mm::call(at::Tensor const&)'),
			(33, 'torch::autograd::THPVariable_linear(_object*, _object*)'), (34, '_PyEval_EvalFrameDefault'), (35, '0x401136'),
			(36, '__libc_start_main'), (37, 'step'), (38, 'forward'), (39, 'torch::autograd::Engine::thread_main(int)'), (40, 'a b;c');
		CREATE TABLE CUDA_CALLCHAINS (id, symbol, module, unresolved, originalIP, stackDepth);
		INSERT INTO CUDA_CALLCHAINS (id, stackDepth, symbol, module, unresolved) VALUES
			(0, 0, 35, 15, 1), (0, 1, 31, 11, NULL), (0, 2, 30, 10, NULL), (0, 3, 36, 16, NULL),
			(1, 0, 35, 15, 1), (1, 1, 32, 12, NULL), (1, 2, 33, 13, NULL), (1, 3, 39, 13, NULL), (1, 4, 34, 14, NULL),
			(2, 0, 32, 12, NULL), (2, 1, 35, 10, 1), (2, 2, 30, 10, NULL),
			(3, 0, 35, 15, 1), (3, 1, 35, 19, 1), (3, 2, 36, 16, NULL),
			(4, 0, 32, 12, NULL), (4, 1, 34, 14, NULL), (4, 2, 38, 18, NULL), (4, 3, 37, 17, NULL), (4, 4, 30, 17, NULL);
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, callchainId);
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName);
		WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
			SELECT 1000 + 100 * i, 1050 + 100 * i, 67, 9 << 24 | 9, i + 1, 1, i FROM n WHERE i < 5 UNION ALL
			SELECT 1001 + 100 * i, 1049 + 100 * i, 0, 9 << 24 | 9, i + 1, 2, NULL FROM n UNION ALL
			SELECT 1010 + 100 * i, 1020 + 100 * i, 1, 9 << 24 | 9, i + 100, 3, NULL FROM n WHERE i = 0 UNION ALL
			SELECT 1700, 1990, 0, 9 << 24 | 9, 50, 5, 0 FROM n WHERE i = 0;
		WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1040 + 100 * i, 1040 + 110 * i + 10, 0, 1, 7, i + 1, 9 << 24, 4, 4 FROM n;
		CREATE TABLE COMPOSITE_EVENTS (id INTEGER PRIMARY KEY, start, cpu, threadState, globalTid, cpuCycles);
		INSERT INTO COMPOSITE_EVENTS SELECT value, 1000 + value, 0, 1, 9 << 24 | 9, 1 FROM json_each('[1, 2, 3, 4]');
		CREATE TABLE SAMPLING_CALLCHAINS (id, symbol, module, unresolved, stackDepth);
		INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 40, 11, 0, 0), (1, 35, 16, 1, 1), (1, 30, 10, 0, 2), (2, 40, 11, 0, 0), (2, 35, 16, 1, 1), (2, 30, 10, 0, 2),
			(3, 35, 19, 1, 0)"
}

@test "a source is the innermost frame of the program's own, else the outermost of a library; without a symbol its address; else -" {
	same "$(printf '%s\t%s\n' 100 - 50 'step (train.py)' 30 'app@0x401136' 20 'torch::autograd::THPVariable_linear (libtorch_python.so)' \
		10 'model::(anonymous namespace)::forward<int, (3)> (libmodel.so)')" "$(nsq-kernels --by source "$CHAINS" | col total_ns source)"
}

@test "a function is shown without its parameters, whatever is in brackets" {
	while IFS=$TAB read -r symbol shown; do
		t=$(change "$CHAINS" "UPDATE StringIds SET value = '$symbol' WHERE id = 31")
		same "$shown (libmodel.so)" "$(nsq-kernels --by source "$t" | where total_ns 10 | col source)"
	done <<-END
		f::operator()(int) const	f::operator()
		operator(	operator
		void g<(a)1, h(*)(int)>(char)	void g<(a)1, h(*)(int)>
		main	main
	END
}

@test "a slice, which keeps the last parts of paths, has the same sources and stacks" {
	mkdir -p "$BATS_TEST_TMPDIR/slice"
	nsq-slice -q -o "$BATS_TEST_TMPDIR/slice/chains.sqlite" "$CHAINS" > /dev/null
	same "site-packages/linear.py" "$(sql "$BATS_TEST_TMPDIR/slice/chains.sqlite" "SELECT value FROM StringIds WHERE value LIKE '%linear.py'")"
	for of in "kernels --by source,name" "gaps --by cause,source" "api --by source" "threads --stacks"; do
		same "$(cd "$BATS_FILE_TMPDIR" && nsq-$of chains.sqlite)" "$(cd "$BATS_TEST_TMPDIR/slice" && nsq-$of chains.sqlite)"
	done
}

@test "a row that repeats a call with its chain is no call; calls inside it, and a call with a chain of its own, have that chain" {
	same "$(printf '%s\tmodel::(anonymous namespace)::forward<int, (3)> (libmodel.so)\n' 290 48 10)" \
		"$(nsq-api --by source,name "$CHAINS" | col total_ns source | grep forward)"
	same "$(table '6 cudaLaunchKernel' '1 cuLaunchKernel')" "$(nsq-api "$CHAINS" | col count name | grep Launch)"
	same 7 "$(nsq-api --launch "$CHAINS" | col launches)"
}

@test "the idle time before a kernel belongs to what launched it, and adds up" {
	same "$(nsq-gaps "$CHAINS" | col idle_ns)" "$(nsq-gaps --by source "$CHAINS" | sum idle_ns)"
	same "$(table '90 torch::autograd::THPVariable_linear_(libtorch_python.so)')" \
		"$(nsq-gaps --by cause,source "$CHAINS" | col idle_ns source | grep THPV | awk -F '\t' '{ s += $1 } END { gsub(" ", "_", $2); print s "\t" $2 }')"
}

@test "without call chains the question is refused, and without a frame of the program's own stderr says so" {
	t=$(change "$CHAINS" "DROP TABLE CUDA_CALLCHAINS")
	for tool in kernels api gaps; do
		fails 3 "holds no call chains of CUDA calls; capture them with nsys profile --cudabacktrace=all" -- nsq-$tool --by source "$t"
	done
	t=$(change "$CHAINS" "DELETE FROM CUDA_CALLCHAINS WHERE id IN (0, 2, 4)")
	asked nsq-kernels --by source "$t"
	holds "$stderr" "has the program's own code"
	fails 2 "use it alone" -- nsq-gaps --by gpu,source "$CHAINS"
}

@test "how much of the time has no source for want of a chain is said, with such a call; little of it is not" {
	mentions "47.6 % of the time in" "no call chain of calls such as cudaLaunchKernel" -- nsq-kernels --by source "$CHAINS"
	asked nsq-kernels --by source -n 1 "$CHAINS"
	holds "$stderr" "47.6 % of the time in"
	mentions "% of the time in" "no call chain of calls such as cudaLaunchKernel" -- nsq-gaps --by source "$CHAINS"
	mentions "16.3 % of the time in" "no call chain of calls such as cudaLaunchKernel" -- nsq-api --by source "$CHAINS"
	t=$(change "$CHAINS" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = 0 WHERE nameId <> 1 AND (correlationId <> 1 OR nameId <> 2)")
	answers nsq-kernels --by source "$t"
	answers nsq-api --by source "$t"
}

@test "call chains that lost their way are counted, unless they reach what starts a thread; few are not mentioned" {
	mentions "the call chains of 622 of 1253 samples in" "nsys profile --backtrace=dwarf" -- nsq-threads --stacks "$TESTS/fixtures/threads-samples.sqlite"
	t=$(change "$CHAINS" "INSERT INTO StringIds VALUES (50, '[Broken backtraces]'), (51, '_start');
		INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 51, 10, 0, 3), (1, 50, 19, 0, 4)")
	answers nsq-threads --stacks "$t"
	sqlite3 "$t" "UPDATE StringIds SET value = 'work' WHERE id = 51"
	mentions "the call chains of 1 of 4 samples in" -- nsq-threads --samples "$t"
	sqlite3 "$t" "INSERT INTO COMPOSITE_EVENTS SELECT 10 + value, 1010 + value, 0, 1, 9 << 24 | 9, 1 FROM json_each('[1, 2, 3, 4, 5, 6, 7]')"
	answers nsq-threads --samples "$t"
}

@test "folded stacks: the outermost first, safe names, the module where there is no symbol, and with -f a table" {
	same "$(printf '%s\n' 'main;[libc.so.6];a_b:c 2' '[Unknown] 1' '- 1' | sort)" "$(nsq-threads --stacks "$CHAINS" | sort)"
	same "main;[libc.so.6];a_b:c 2" "$(nsq-threads --stacks -q -n 1 "$CHAINS")"
	same "$(table '2 main;[libc.so.6];a_b:c' '1 -' '1 [Unknown]')" "$(nsq-threads --stacks -f tsv "$CHAINS" | col samples stack)"
	same 1253 "$(nsq-threads --stacks "$TESTS/fixtures/threads-samples.sqlite" | awk '{ s += $2; bad += NF != 2 } END { print s + bad }')"
}

@test "a finding's where: the range, else the source of most of it, else nothing" {
	mkdir "$BATS_TEST_TMPDIR/cases"
	python3 "$TESTS/advise/cases.py" "$BATS_TEST_TMPDIR/cases" slow_python
	chains="CREATE TABLE CUDA_CALLCHAINS (id, symbol, module, unresolved, stackDepth);
		INSERT INTO StringIds VALUES (90001, 'hook'), (90002, '/home/me/train.py'), (90003, 'log'), (90004, 'eval');
		INSERT INTO CUDA_CALLCHAINS VALUES (1, 90001, 90002, 0, 0), (2, 90003, 90002, 0, 0), (3, 90004, 90002, 0, 0);
		ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD eventClass; ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD callchainId;
		UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET eventClass = 0, callchainId"
	t=$(change "$BATS_TEST_TMPDIR/cases/slow_python.sqlite" "$chains = 1")
	same "$(table 'host 4765004 forward')" "$(nsq-advise -q -f tsv "$t" | col kind recover_ns where | head -1)"
	sqlite3 "$t" "DELETE FROM NVTX_EVENTS WHERE text = 'forward'"
	same "host${TAB}4765004${TAB}hook (train.py)" "$(nsq-advise -q -f tsv "$t" | col kind recover_ns where | head -1)"
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = 1 + rowid % 3"
	same "$(table 'host 4765004 -')" "$(nsq-advise -q -f tsv "$t" | col kind recover_ns where | head -1)"
}
