"""Small traces of torch.profiler, made to have one property each.

    made.py KIND FILE       KIND: a function below, without its underscores turned to blanks
"""
import gzip
import json
import sys

PID = 1000


def event(cat, name, ts, dur, pid=PID, tid=PID, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def launch(ts, dur, correlation, pid=PID, call="cudaLaunchKernel"):
    return event("cuda_runtime", call, ts, dur, pid, pid, correlation=correlation)


def kernel(name, ts, dur, correlation, stream=7, gpu=0, **args):
    return event("kernel", name, ts, dur, gpu, stream, device=gpu, context=1, stream=stream, correlation=correlation,
                 grid=[4, 1, 1], block=[128, 1, 1], **args)


def whole(events, **members):
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "numSms": 132}], **members, "traceEvents": events}


def rank(own, late):
    """A rank of two: ten steps of compute and an all-reduce, which ends when both have come.  Rank 1 computes longer, if it is late."""
    events, t, correlation = [], 0.0, 1
    comm = {"Collective name": "allreduce", "Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Group size": 2, "Rank": own,
            "In msg nelems": 1 << 20, "Out msg nelems": 1 << 20, "dtype": "BFloat16"}
    for step in range(10):
        compute = 3000.0 if own == 1 and late else 1000.0
        slowest = 3000.0 if late else 1000.0
        events.append(event("user_annotation", f"ProfilerStep#{step}", t, slowest + 600))
        events.append(event("user_annotation", "forward", t + 1, 100))
        events.append(event("cpu_op", "aten::mm", t + 5, 40, **{"Input Dims": [[2048, 512], [512, 512]]}))
        for i in range(4):
            events.append(launch(t + 10 + 8 * i, 5, correlation))
            events.append(kernel("nvjet_tst_128x128", t + 50 + i * compute / 4, compute / 4 - 1, correlation))
            correlation += 1
        events.append(event("cpu_op", "record_param_comms", t + 120, 60, **comm))
        events.append(launch(t + 140, 5, correlation))
        events.append(kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", t + 50 + compute,
                             slowest - compute + 500, correlation, stream=20))
        events.append(launch(t + 200, slowest + 380, correlation + 1, call="cudaDeviceSynchronize"))
        correlation += 2
        t += slowest + 620
    return whole(events, baseTimeNanoseconds=1790857026000000000,
                 distributedInfo={"backend": "nccl", "rank": own, "world_size": 2})


def late0():
    return rank(0, True)


def late1():
    return rank(1, True)


def even0():
    return rank(0, False)


def even1():
    return rank(1, False)


def comm_in_kernels():
    """The arguments of the collective are those of the kernel alone."""
    trace = rank(0, False)
    for e in trace["traceEvents"]:
        if "Collective name" in e["args"]:
            args, e["args"] = e["args"], {}
        elif e["name"].startswith("nccl"):
            e["args"].update(args)
    return trace


def waits():
    """A stream waits for an event of another, and the trace says for which."""
    events = []
    for i in range(8):
        t, c = 200 * i, 10 * i
        events += [launch(t, 4, c + 1), kernel("ncclDevKernel_SendRecv", t + 10, 100, c + 1, stream=20), launch(t + 5, 2, c + 2, call="cudaEventRecord"),
                   launch(t + 8, 2, c + 3, call="cudaStreamWaitEvent"),
                   event("cuda_sync", "Stream Wait Event", t + 8, 2, 0, 7, stream=7, device=0, context=1, correlation=c + 3, wait_on_stream=20,
                         wait_on_cuda_event_record_corr_id=c + 2, wait_on_cuda_event_id=5),
                   launch(t + 12, 4, c + 4), kernel("consumer", t + 111, 40, c + 4, stream=7)]
    return whole(events)


def old():
    """PyTorch 1.9: other categories, whole microseconds of UTC, threads and streams as texts, no base."""
    at = 1630000000000000
    return {"schemaVersion": 1, "traceEvents": [
        event("Operator", "ProfilerStep#1", at, 900, tid="1000"),
        event("Operator", "aten::add", at + 10, 50, tid="1000", **{"External id": 2, "Input Dims": [[4], [4], []]}),
        event("Runtime", "cudaLaunchKernel", at + 20, 10, tid="1000", correlation=3),
        event("Kernel", "void add<float>(float*)", at + 100, 20, pid=0, tid="stream 7", device=0, context=1, stream=7, correlation=3,
              grid=[1, 1, 1], block=[32, 1, 1]),
        event("Memcpy", "Memcpy DtoH (Device -> Pageable)", at + 130, 5, pid=0, tid="stream 7", device=0, context=1, stream=7, correlation=4, bytes=16),
        event("Memset", "Memset (Device)", at + 140, 5, pid=0, tid="stream 7", device=0, context=1, stream=7, correlation=5, bytes=64),
    ]}


def merged():
    """Two processes in one file, as SGLang puts them together: labels before the pids, the same correlations."""
    events = []
    for i, label in enumerate(("[TP00] ", "[TP01] ")):
        events += [event("cuda_runtime", "cudaLaunchKernel", 10 + i, 5, f"{label}{500 + i}", 500 + i, correlation=1),
                   event("kernel", f"k{i}", 20, 10 + i, f"{label}0", 7, device=0, context=1, stream=7, correlation=1)]
    return whole(events)


def processes():
    """Two processes in one file, with correlations of their own."""
    return whole([e for i in (0, 1) for e in (launch(10, 5, 7 + i, 500 + i), kernel(f"k{i}", 20, 10 + i, 7 + i))])


def amd():
    """HIP: other names of calls, no context, registers or shared memory."""
    return whole([event("user_annotation", f"ProfilerStep#{i}", 100 * i, 90) for i in range(5)] +
                 [event("cuda_runtime", "hipLaunchKernel", 100 * i + 5, 5, correlation=i + 1) for i in range(5)] +
                 [event("kernel", "Cijk_Ailk_Bljk", 100 * i + 20, 30, 2, 0, device=2, stream=0, correlation=i + 1, kind="Dispatch Kernel",
                        grid=[4, 1, 1], block=[256, 1, 1]) for i in range(5)] +
                 [event("cuda_runtime", "hipStreamSynchronize", 100 * i + 12, 40, correlation=50 + i) for i in range(5)] +
                 [event("gpu_memcpy", "CopyHostToDevice", 60, 3, 2, 0, device=2, stream=0, correlation=40)])


if __name__ == "__main__":
    text = json.dumps(globals()[sys.argv[1]]())
    if sys.argv[2].endswith(".gz"):
        with gzip.open(sys.argv[2], "wt") as f:
            f.write(text)
    else:
        open(sys.argv[2], "w").write(text)
