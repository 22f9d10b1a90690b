#!/usr/bin/env python3
"""random_trace.py SEED OUT.sqlite: a small random trace of streams that wait for each other, threads that wait for streams, replays on
several streams, work that overlaps on one, records made during waits, and all that a capture can lack: records, ids of records,
launches, rows of waits, streams."""
import random
import sqlite3
import sys

NONE = 4294967295


def main():
    r, out = random.Random(int(sys.argv[1])), sys.argv[2]
    ids = r.random() < 0.6              # does the trace say which record is meant?
    names, tables, sync = {}, {}, 0
    lossy = r.choice((0, 0, 0.1, 0.4))
    ahead = r.random() < 0.7            # the CPU issues work long before the GPU comes to it
    overlap = r.choice((0, 0, 0.3))     # how often work of a stream does not wait for what is before it
    unseen = r.choice((0, 0, 0.2, 0.7)) # how many waits have no row
    lost_streams = r.choice((0, 0, 0, 0.1))

    def name(text):
        return names.setdefault(text, len(names) + 1)

    def row(table, **values):
        tables.setdefault(table, []).append(values)

    starts = set()
    for pid in range(10, 10 + r.choice((1, 1, 2))):
        gpus = r.choice((1, 1, 2))
        free = {}                       # by stream: when it has run what it was given
        recorded = {}                   # by event: the id of its last record, and when it is complete
        told = {}                       # by stream: when the events are complete that it waits for
        now = {pid + k: r.randrange(50) for k in range(r.choice((1, 2, 3)))}       # by thread
        corr = 0

        def call(text, length, tid=None):
            nonlocal corr
            if ahead and tid is None and r.random() < 0.8:
                length = 1
            tid = tid or r.choice(sorted(now))
            a = now[tid]
            while a in starts:
                a += 1
            starts.add(a)
            now[tid] = a + length + (r.choice((0, 1)) if ahead else r.choice((0, 1, 5, 40)))
            corr += 1
            row('RUNTIME', start=a, end=a + length, globalTid=pid << 24 | tid, correlationId=corr, nameId=name(text + '_v3020'))
            return a, a + length

        def place():
            ctx = r.randrange(gpus) + 1
            return ctx, r.choice((7, 13, 20))

        def run(table, launched, place, length, **more):
            a = max([0 if r.random() < overlap else free.get(place, 0), launched + r.choice((1, 3, 30))] + told.pop(place, []))
            if r.random() < 0.05:
                a = max(0, a + r.randrange(-60, 60))      # what cannot be
            free[place] = max(free.get(place, 0), a + length)
            mine = None if r.random() < lossy / 4 else corr
            row(table, start=a, end=a + length, deviceId=place[0] - 1, contextId=place[0],
                streamId=None if r.random() < lost_streams else place[1], correlationId=mine,
                globalPid=pid << 24, **more)
            return a + length

        for _ in range(r.randrange(3, 60)):
            what = r.choice('kkkkkknnccsggGrrrrrwwwwwwWWSEDFqpB')
            at = place()
            if what in 'kn':
                text = 'ncclDevKernel_%d' % r.randrange(2) if what == 'n' else 'kernel_%d' % r.randrange(3)
                run('KERNEL', call('cudaLaunchKernel', r.choice((1, 4, 90)))[0], at, r.choice((0, 5, 20, 200)), shortName=name(text),
                    demangledName=name(text), graphNodeId=None)
            elif what == 'c':
                blocks, pageable = r.random() < 0.4, r.random() < 0.3
                a, b = call('cudaMemcpy' if blocks else 'cudaMemcpyAsync', r.choice((5, 60, 300)))
                run('MEMCPY', a, at, r.choice((1, 40)), bytes=8, copyKind=1, srcKind=0 if pageable else 1, dstKind=2, graphNodeId=None)
            elif what == 's':
                run('MEMSET', call('cudaMemsetAsync', 3)[0], at, 3, bytes=8, memKind=2, graphNodeId=None)
            elif what == 'g':           # a replay, with nodes on one or several streams, each after all before it or beside them
                a, b = call('cudaGraphLaunch', r.choice((5, 200)))
                streams = r.choice(((at[1],), (at[1], 20), (7, 13, 20, 33)))
                for node in range(1, r.randrange(2, 7)):
                    on = at[0], r.choice(streams)
                    if r.random() < 0.3:
                        b = run('MEMCPY', a, on, 4, bytes=8, copyKind=8, srcKind=2, dstKind=2, graphNodeId=node)
                    else:
                        text = r.choice(('kernel_0', 'ncclDevKernel_0'))
                        b = run('KERNEL', a, on, r.choice((2, 30, 100)), shortName=name(text), demangledName=name(text), graphNodeId=node)
                    if r.random() < 0.5:
                        a = max(a, b)
            elif what == 'G':
                run('GRAPH_TRACE', call('cudaGraphLaunch', 9)[0], at, 50, graphId=1)
            elif what == 'r':
                event = r.randrange(1, 4)
                call(r.choice(('cudaEventRecord', 'cudaEventRecordWithFlags')), 2)
                sync += 1
                recorded[event] = sync, max([free.get(at, 0)] + told.get(at, []))
                if r.random() >= lossy:
                    row('CUDA_EVENT', deviceId=0, contextId=at[0], streamId=at[1], correlationId=corr, globalPid=pid << 24, eventId=event,
                        eventSyncId=sync)
            elif what in 'wE':
                event = r.randrange(1, 4)
                call(r.choice(('cudaStreamWaitEvent', 'cuStreamWaitEvent')) if what == 'w' else 'cudaEventSynchronize', r.choice((2, 2, 150)))
                if what == 'w' or r.random() < 0.8:
                    seen, complete = recorded.get(event, (0, 0)) if r.random() < 0.95 else (0, 0)
                    if what == 'w':
                        told.setdefault(at, []).append(complete)
                    if what == 'w' and r.random() < unseen:
                        continue
                    row('SYNCHRONIZATION', start=0, end=1, deviceId=r.randrange(2), contextId=at[0], streamId=at[1] if what == 'w' else NONE,
                        correlationId=corr, globalPid=pid << 24, syncType=2, eventId=event, eventSyncId=seen)
            elif what == 'W':           # a wait, of a stream or a thread, during which another thread records the event
                tids = sorted(now)
                first = r.choice(tids)
                tells = r.random() < 0.8
                a, b = call('cudaStreamWaitEvent' if tells else 'cudaEventSynchronize', r.choice((20, 150)), first)
                sync += 1
                row('SYNCHRONIZATION', start=0, end=1, deviceId=0, contextId=at[0], streamId=at[1] if tells else NONE, correlationId=corr,
                    globalPid=pid << 24, syncType=2, eventId=9, eventSyncId=sync)
                other = r.choice(tids)
                now[other] = max(now[other], a + 1)
                on = place()
                if r.random() < 0.5:
                    done = run('KERNEL', call('cudaLaunchKernel', 2, other)[0], on, r.choice((20, 200)), shortName=name('ncclDevKernel_1'),
                               demangledName=name('ncclDevKernel_1'), graphNodeId=None)
                    told.setdefault(at, []).append(done)
                if r.random() < 0.2:
                    run('MEMSET', call('cudaMemsetAsync', 1, other)[0], at, 3, bytes=8, memKind=2, graphNodeId=None)
                call('cudaEventRecord', 2, other)
                row('CUDA_EVENT', deviceId=0, contextId=on[0], streamId=on[1], correlationId=corr, globalPid=pid << 24, eventId=9,
                    eventSyncId=sync)
            elif what == 'B':           # a capture: waits in it have no row
                tid = r.choice(sorted(now))
                call('cudaStreamBeginCapture', 1, tid)
                for _ in range(r.randrange(3)):
                    call('cudaStreamWaitEvent', 1, tid)
                call('cudaStreamEndCapture', 1, tid)
            elif what == 'S':
                call('cudaStreamSynchronize', r.choice((2, 50, 300)))
                if r.random() < 0.8:
                    row('SYNCHRONIZATION', start=0, end=1, deviceId=0, contextId=at[0], streamId=at[1], correlationId=corr, globalPid=pid << 24,
                        syncType=2, eventId=NONE, eventSyncId=NONE)
            elif what in 'DF':
                call(r.choice(('cudaDeviceSynchronize', 'cuCtxSynchronize')) if what == 'D' else 'cudaFree', r.choice((2, 50, 300)))
            elif what == 'q':
                call(r.choice(('cudaEventQuery', 'cudaStreamQuery', 'cudaMalloc')), 2)
                row('SYNCHRONIZATION', start=0, end=1, deviceId=0, contextId=at[0], streamId=NONE, correlationId=corr, globalPid=pid << 24,
                    syncType=1, eventId=1, eventSyncId=recorded.get(1, (0, 0))[0])
            else:
                row('SYNCHRONIZATION', start=0, end=1, deviceId=0, contextId=at[0], streamId=NONE, correlationId=0, globalPid=pid << 24,
                    syncType=4, eventId=NONE, eventSyncId=NONE)
        if r.random() < 0.05:           # a process that lost events
            for _ in range(250):
                call('cudaLaunchKernel', 0)

    db = sqlite3.connect(out)
    db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    db.execute('CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)')
    db.executemany('INSERT INTO StringIds VALUES (?, ?)', ((k, v) for v, k in names.items()))
    for table, rows in tables.items():
        columns = [c for c in rows[0] if ids or c != 'eventSyncId']
        r.shuffle(rows)
        db.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_%s (%s)' % (table, ', '.join(c + ' INTEGER' for c in columns)))
        db.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_%s VALUES (%s)' % (table, ','.join('?' * len(columns))),
                       ([x[c] for c in columns] for x in rows))
    db.commit()


main()
