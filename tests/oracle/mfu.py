"""mfu TRACE CSV BY [A B]: is the table on standard input what nsq-mfu should say of the trace?

Reads the CSV with Python's reader, and looks for the measured sequence by comparing lists;
it shares no code with nsq.  BY is nvtx, name or window.  For one process on one H200.  A B is the window.  Prints what
differs, and exits 1 if something does.  `mfu --csv CSV` prints the sums of the CSV instead: tensor FLOPs,
all FLOPs, bytes.
"""
import collections
import csv
import re
import sys

from .names import fold
from .trace import Trace

PEAK, MEMORY = 989.5e12, 4.8e12
SCALE = {'K': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12}


def short(name):
    """Without RANGE/, what is in brackets, return type and namespaces: removes the innermost brackets until none is left."""
    name = name.replace('->', '').replace('(anonymous namespace)', '').replace('<unnamed>', '')
    while True:
        less = re.sub(r'\([^()<>\[\]]*\)|<[^()<>\[\]]*>|\[[^()<>\[\]]*\]', '', name)
        if less == name:
            break
        name = less
    return re.split(r'[ /]|::', name.replace(' const', '').strip())[-1]


def read_csv(path):
    with open(path, newline='') as f:
        header, units, *rows = csv.reader(f)
    at = {name: i for i, name in enumerate(header)}
    tensor = [n for n in header if re.fullmatch(r'sm__ops_path_tensor_src_(?!int)\w+\.sum', n)]
    tensor = [n for n in tensor if 'sparsity' not in n or re.sub(r'_sparsity_o(n|ff)', '', n) not in at]
    launches = []
    for row in rows:
        def value(name):
            return float(row[at[name]].replace(',', '')) * (SCALE.get(units[at[name]][:1], 1) if units[at[name]] != 'SM' else 1)
        t = sum(value(n) for n in tensor)
        v = 0
        for kind, width in ('d', 1), ('f', 1), ('h', 2):
            for op, flops in ('add', 1), ('mul', 1), ('fma', 2):
                name = 'smsp__sass_thread_inst_executed_op_%s%s_pred_on.sum' % (kind, op)
                n = value(name) if name in at else value(name + '.per_cycle_elapsed') * value('smsp__cycles_elapsed.avg')
                v += n * width * flops
        shape = ['x'.join(re.findall(r'\d+', row[at[c]])) for c in ('Grid Size', 'Block Size')]
        ranges = re.findall(r'"[^:"]*:([^"]*?):none:none:none:none:', row[header.index(next(n for n in header if 'Push/Pop' in n))])
        launches.append(((short(row[at['Kernel Name']]), *shape), fold(ranges[-1]) if ranges else None, t, t + v,
                         value('dram__bytes.sum')))
    return launches


def read_trace(path):
    """Kernels in order of launch: key, innermost range, start, end; and the span of all work."""
    trace, out = Trace(path), []
    for w in sorted((w for w in trace.works if w.kind == 'kernel' and w.call), key=lambda w: (w.call.start, w.start)):
        around = trace.around(w)
        out.append(((w.name, *('x'.join(map(str, shape)) for shape in (w.grid, w.block))), fold(around[0].name) if around else None, w.start, w.end))
    return out, *trace.gpu_span()


def values(kernels, launches):
    """(FLOPs, bytes) of each kernel, or None."""
    keys = [launch[0] for launch in launches]
    known = [i for i, k in enumerate(kernels) if k[0] in set(keys)]
    found = {}
    for at in range(len(known) - len(keys) + 1):
        if [kernels[i][0] for i in known[at:at + len(keys)]] == keys:
            for i, launch in zip(known[at:], launches):
                found.setdefault(i, launch[3:])
    def mean(rows):
        return tuple(sum(r[c] for r in rows) / len(rows) for c in (3, 4)) if rows else None
    for i, k in enumerate(kernels):
        if i not in found:
            found[i] = mean([x for x in launches if x[0] == k[0] and x[1] == k[1]]) or mean([x for x in launches if x[0] == k[0]])
    return found


def main(argv):
    if argv[0] == '--csv':
        launches = read_csv(argv[1])
        print('%.0f\t%.0f\t%.0f' % tuple(sum(x[c] for x in launches) for c in (2, 3, 4)))
        return
    path, measured, by = argv[:3]
    kernels, a, b = read_trace(path)
    if len(argv) > 3:
        a, b = map(int, argv[3:5])
    sums = collections.defaultdict(lambda: [0, 0, 0, 0.0, 0.0])
    found = values(kernels, read_csv(measured))
    for i, (key, inner, start, end) in enumerate(kernels):
        dur = min(end, b) - max(start, a)
        if dur <= 0:
            continue
        s = sums[{'nvtx': inner or '-', 'name': key[0], 'window': '-'}[by]]
        s[0] += 1
        s[1] += dur
        if found[i]:
            s[2] += dur
            s[3] += found[i][0] * dur / (end - start)
            s[4] += found[i][1] * dur / (end - start)
    header, *rows = [line.rstrip('\n').split('\t') for line in sys.stdin]
    wrong = []
    got = {}
    for row in rows:
        r = dict(zip(header, row))
        got[r.get('name', '-')] = r
    if set(got) != set(sums):
        wrong.append('names: %s' % sorted(set(got) ^ set(sums)))
    for name in set(got) & set(sums):
        n, ns, known, flops, size = sums[name]
        time = (b - a if by == 'window' else ns) / 1e9
        bound = 'launch' if ns / n < 5000 else '-' if not known or not (flops or size) else \
            'compute' if flops * MEMORY >= size * PEAK else 'memory'
        want = {'kernels': n, 'gpu_ns': ns, 'measured_pct': 100 * known / ns, 'bound': bound}
        if known:
            want.update({'flops': flops, 'tflops': flops / time / 1e12, 'mfu_pct': 100 * flops / time / PEAK,
                         'dram_bytes': size, 'dram_pct': 100 * size / time / MEMORY, 'intensity': flops / size if size else '-'})
        for column in ('kernels gpu_ns measured_pct flops tflops mfu_pct dram_bytes dram_pct intensity bound').split():
            w, g = want.get(column, '-'), got[name][column]
            if isinstance(w, str) or g == '-':
                same = w == g
            elif column in ('flops', 'dram_bytes'):
                same = abs(float(g) - w) <= 1 * n + 1e-9 * w
            elif column in ('kernels', 'gpu_ns'):
                same = int(g) == w
            else:
                same = abs(float(g) - w) < 0.0051
            if not same:
                wrong.append('%s: %s is %s, not %s' % (name, column, g, w))
    print('\n'.join(wrong), end='')
    return bool(wrong)
