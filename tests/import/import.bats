# nsq-import: traces of torch.profiler as traces of nsys.  The fixtures are of an H200 (programs.py), each with the table
# that torch itself printed; made.py makes traces with one property each.
load ../helper

KINETO=$FIXTURES/kineto

setup() {
	cd "$BATS_TEST_TMPDIR"
	export XDG_CACHE_HOME=$PWD/cache
}

# made KIND FILE: one of made.py.
made() { python3 "$TESTS/import/made.py" "$1" "$2"; }

# imported NAME: a fixture, imported as NAME.sqlite.
imported() { nsq-import -q -o "$1.sqlite" "$KINETO/$1.json.gz" > /dev/null; }

# bats test_tags=more
@test "count and total of each kernel, copy, set, call and operator are torch's own, to its rounding" {
	for t in $(first_few 3 train graph ddp-rank0 starved decode ddp-rank1); do
		imported $t
		python3 "$TESTS/import/torch_table.py" $t.sqlite "$KINETO/$t.txt"
	done
	# the comparison can fail: a kernel less, a nanosecond too many in every call
	sqlite3 train.sqlite "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid = 9"
	sqlite3 graph.sqlite "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = end + 200"
	run -1 python3 "$TESTS/import/torch_table.py" train.sqlite "$KINETO/train.txt"
	run -1 python3 "$TESTS/import/torch_table.py" graph.sqlite "$KINETO/graph.txt"
}

# bats test_tags=more
@test "every event has the times, the place and the numbers that a second reading finds, in the order of time" {
	for t in $(first_few 3 "$KINETO"/*.json.gz); do
		nsq-import -q -o t.sqlite "$t"
		python3 "$TESTS/import/against_json.py" "$t" t.sqlite
		same ok "$(sql t.sqlite 'PRAGMA integrity_check')"
		rm t.sqlite
	done
}

@test "a trace is imported once, beside it or in the cache, and again when it has changed" {
	cp "$KINETO/graph.json.gz" run.pt.trace.json.gz
	same 288 "$(nsq-kernels -q run.pt.trace.json.gz | sum count)"
	same "run.pt.trace.json.gz run.pt.trace.sqlite" "$(echo *)"
	before=$(stat -c %i run.pt.trace.sqlite)
	nsq-gaps -q run.pt.trace.json.gz > /dev/null
	same "$before" "$(stat -c %i run.pt.trace.sqlite)"
	cp "$KINETO/decode.json.gz" run.pt.trace.json.gz
	same 360 "$(nsq-kernels -q run.pt.trace.json.gz | sum count)"
	# plain, and whatever it is called
	gunzip -c "$KINETO/graph.json.gz" > 'my trace'
	same 288 "$(nsq-kernels -q 'my trace' | sum count)"
	# an export of nsys, or of another trace, whose name differs in its ending alone, is no import of this one
	cp "$FIXTURES/train.sqlite" twin.sqlite
	cp "$KINETO/graph.json.gz" twin.json.gz
	touch -d '2020-01-01' twin.json.gz
	same 288 "$(nsq-kernels -q twin.json.gz | sum count)"
	cmp twin.sqlite "$FIXTURES/train.sqlite"
	# what is there and is no import is left alone
	echo mine > other.sqlite
	cp "$KINETO/graph.json.gz" other.json.gz
	same 288 "$(nsq-kernels -q other.json.gz | sum count)"
	same mine "$(cat other.sqlite)"
	same 1 "$(find cache/nsq -name 'other-*.sqlite' | wc -l)"
	same 288 "$(NSQ_EXPORT_TO=$PWD/exports nsq-kernels -q other.json.gz | sum count)"
	same 1 "$(find exports -name 'other-*.sqlite' | wc -l)"
}

@test "-o names the file, which replaces only an import of that trace; nothing is left of what fails" {
	cp "$KINETO/graph.json.gz" "$KINETO/decode.json.gz" .
	same out.sqlite "$(nsq-import -o out.sqlite graph.json.gz)"
	same out.sqlite "$(nsq-import -o out.sqlite graph.json.gz)"
	fails 2 "'out.sqlite' exists and is no import of 'decode.json.gz'" -- nsq-import -o out.sqlite decode.json.gz
	fails 2 "'-o' names one file, and 2 traces are given" -- nsq-import -o x.sqlite graph.json.gz decode.json.gz
	fails 2 "no trace is named" -- nsq-import
	fails 1 "cannot open 'none.json.gz'" -- nsq-import none.json.gz
	same $'graph.sqlite\ndecode.sqlite' "$(nsq-import graph.json.gz decode.json.gz)"
	fails 1 "is no trace of torch.profiler" -- nsq-import graph.sqlite
	same "decode.json.gz decode.sqlite graph.json.gz graph.sqlite out.sqlite" "$(echo *)"
}

@test "findings read right: a sync, a slow loader, a healthy graph, steps of a schedule" {
	for t in train starved graph scheduled; do imported $t; done
	holds " $(nsq-advise -q train.sqlite | col kind | xargs) " " sync "
	same "data data" "$(nsq-advise -q starved.sqlite | col kind where | head -1 | xargs)"
	same data "$(nsq-advise -q --verdict starved.sqlite | col bound)"
	same gpu "$(nsq-advise -q --verdict graph.sqlite | col bound)"
	same unannotated "$(nsq-advise -q graph.sqlite | col kind)"
	holds "$(nsq-advise graph.sqlite 2>&1 > /dev/null)" "nothing to fix"
	same "3 ProfilerStep#2 ProfilerStep#3 ProfilerStep#4" "$(nsq-window -q --pick all --skip 0 scheduled.sqlite | col count name | cut -f2 | xargs echo 3)"
}

# bats test_tags=long
@test "ranks lie on one clock, and a late one is found" {
	for r in 0 1; do made late$r late$r.json.gz; made even$r even$r.json; done
	same "late 1" "$(nsq-advise -q late0.json.gz late1.json.gz | col kind rank | head -1 | xargs)"
	holds "$(nsq-advise -q late0.json.gz late1.json.gz | col kind where finding | head -1)" forward nvjet_tst_128x128
	lacks " $(nsq-advise -q even0.json even1.json | col kind | xargs) " " late "
	# NCCL's payloads: one communicator, its size, the bytes of each operation
	same "2 allreduce 2097152 10" "$(nsq-nccl -q late0.json.gz late1.json.gz | col ranks op bytes count | sort -u | xargs)"
	same "0 1" "$(nsq-nccl -q late0.json.gz late1.json.gz | col rank | sort | xargs)"
	same 2000000 "$(nsq-nccl -q --each late0.json.gz late1.json.gz | where rank 0 | col wait_ns | sort -u)"
	made comm_in_kernels kernels.json
	same "2 allreduce 2097152 10" "$(nsq-nccl -q kernels.json | col ranks op bytes count | xargs)"
	for r in 0 1; do imported ddp-rank$r; done
	# rank 0 was recorded later by the difference of UTC, which rank 1's first operation waits for from 5.183 ms on
	holds "$(nsq-nccl ddp-rank0.sqlite ddp-rank1.sqlite 2>&1 > /dev/null)" "615.045 of 657.935 ms of waiting are before the trace of the rank that comes last begins"
	# the GPU only communicates
	same "comm comm" "$(nsq-advise -q --verdict ddp-rank0.sqlite ddp-rank1.sqlite | col bound | xargs)"
	same "2 allreduce 1048576 18" "$(nsq-nccl -q ddp-rank0.sqlite ddp-rank1.sqlite | col ranks op bytes count | sort -u | xargs)"
	# UTC of the earliest event: baseTimeNanoseconds and its ts
	same 1794984381244660293 "$(sql ddp-rank0.sqlite 'SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME')"
}

@test "operators are listed with their sizes, and are neither a place nor a step" {
	imported train
	holds "$(nsq-nvtx -q --exact train.sqlite | col name)" "aten::addmm, sizes = [[2048], [2048, 512], [512, 2048], [], []]"
	same "" "$(nsq-ledger -q --merge --by owner,where train.sqlite | col where | grep aten)"
	imported ddp-rank1
	for t in train ddp-rank1; do same "" "$(nsq-advise -q --min-pct 0 $t.sqlite | col where | grep aten)"; done
	same "backward data forward optimizer" "$(nsq-ledger -q --merge --by where train.sqlite | col where | grep -v '^-\|Optimizer' | sort -u | xargs)"
	same "128 549755813888" "$(nsq-mfu -q --shapes train.sqlite | grep 'aten::mm,' | cut -f6,9 | xargs)"
}

@test "Python functions are imported with --stacks, in a domain of their own" {
	cat > stacks.json <<- 'END'
		{"traceEvents": [
		{"ph": "X", "cat": "python_function", "name": "train.py(7): step", "pid": 5, "tid": 5, "ts": 1, "dur": 90, "args": {"Python id": 1}},
		{"ph": "X", "cat": "user_annotation", "name": "forward", "pid": 5, "tid": 5, "ts": 2, "dur": 80, "args": {}},
		{"ph": "X", "cat": "python_function", "name": "nn.Linear: 0", "pid": 5, "tid": 5, "ts": 3, "dur": 70, "args": {}},
		{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 5, "ts": 5, "dur": 5, "args": {"correlation": 1}},
		{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 20, "dur": 30, "args": {"device": 0, "stream": 7, "correlation": 1}}]}
	END
	same forward "$(nsq-nvtx -q stacks.json | col name)"
	nsq-import -q --stacks stacks.json
	same "forward nn.Linear: # train.py(#): step" "$(nsq-nvtx -q stacks.json | col name | sort | xargs)"
	same forward "$(nsq-ledger -q --by owner,where stacks.json | where owner compute | col where)$(nsq-ledger -q --by where stacks.json | col where | grep -v '^-' | sort -u | grep -v forward)"
}

@test "what a stream waits for is known if the trace has cuda_sync" {
	made waits waits.json
	# eight times from the end of the consumer's launch to that of the communication: 94 us
	same "752000 0 100.00" "$(nsq-stalls -q waits.json | col blocked_comm_ns unresolved_ns resolved_pct | xargs)"
	sqlite3 waits.sqlite "DELETE FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"
	same "0 0.00" "$(nsq-stalls -q waits.sqlite | col blocked_comm_ns resolved_pct | xargs)"
}

@test "traces of PyTorch 1.9, of AMD's GPUs, and of several processes in one file" {
	for k in old amd merged processes; do made $k $k.json; done
	same "add 1 20000" "$(nsq-kernels -q old.json | col name count total_ns | xargs)"
	same "d2h 16 memset 64" "$(nsq-mem -q old.json | col kind bytes | sort | xargs)"
	same "ProfilerStep## aten::add, sizes = [[#], [#], []]" "$(nsq-nvtx -q old.json | col name | sort | xargs)"
	same 1630000000000000000 "$(sql old.sqlite 'SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME')"
	same "Cijk_Ailk_Bljk 5 150000" "$(nsq-kernels -q amd.json | col name count total_ns | xargs)"
	same h2d "$(nsq-mem -q amd.json | col kind)"
	same "launch sync" "$(nsq-api -q --by class amd.json | col class | sort | xargs)"
	# hipStreamSynchronize waits as cudaStreamSynchronize does: three gaps are synced, those around the copy are not
	same "210000 5" "$(nsq-gaps -q amd.json | col synced_ns gaps | xargs)"
	same "500 k0 501 k1" "$(nsq-kernels -q --each merged.json | col pid name | sort | xargs)"
	same "500 k0 501 k1" "$(nsq-kernels -q --each processes.json | col pid name | sort | xargs)"
}
