"""What names and kinds mean: the classes of work and calls, folded names, rules for labels."""
import re


CLASSES = [("launch", "Launch"), ("sync", "Synchronize"), ("memory", "Mem|Malloc|Free|HostAlloc|HostRegister"),
           ("graph", "Graph|Capture"), ("event", "Event"), ("stream", "Stream"),
           ("module", "Module|Library|Kernel|Func")]


def fold(name):
    return re.sub("[0-9]+", "#", name)


def base_name(call):
    return re.sub("(_v[0-9]+|_ptsz|_ptds)+$", "", call)


def call_class(call):
    return "mpi" if call.startswith("MPI_") else next((label for label, words in CLASSES if re.search(words, call)), "other")


def is_comm(work):
    return work.kind == "kernel" and work.name.lower().startswith("nccl") or work.copy == "p2p"


def is_compute(work):
    return work.kind == "graph" or work.kind == "kernel" and not is_comm(work)


def is_kernel_or_graph(work):
    return work.kind in ("kernel", "graph")


def work_class(work):
    return "comm" if is_comm(work) else {"graph": "graph", "copy": "copy", "set": "copy"}.get(work.kind, "compute")


def stage_rule(name):
    """The last stageN_f, _b or _w of a name that no letter or digit follows."""
    found = [m.group(1) for m in re.finditer("(?=(stage[0-9]+_[fbw])([^a-zA-Z0-9]|$))", name)]
    return found[-1] if found else None


def purpose_rule(name):
    if re.search("stage[24]([^0-9]|$)", name):
        return "ep_a2a"
    if re.search("stage1([^0-9]|$)", name):
        return "cp_ring"
    return "pp_p2p" if re.search("(^|[^a-zA-Z0-9])p2p([^a-zA-Z0-9]|$)", name) else None


def stream_of(work):
    return work.proc, work.gpu, work.ctx, work.stream


def begun_order(w):
    """Which work begun earlier.  TIE: at equal starts by end, stream, kind, name and id."""
    kinds = ["kernel", "graph", "copy", "set"]
    return w.start, w.end, w.ctx, w.stream, kinds.index(w.kind), w.name, w.corr, w.n
