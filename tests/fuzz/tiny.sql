-- A trace with a little of everything, two processes (pid 10, rank 0, and pid 20, rank 1), for the
-- fuzzer to damage and for the tests to change (see tests/small-traces.bash).  globalTid = pid << 24 | tid (vm and hw id 0).
PRAGMA page_size = 512;
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;

CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'void gemm<float, 128>(float*, int)'), (3, 'ncclDevKernel_AllReduce'),
	(4, 'ncclDevKernel_AllReduce(void*)'), (5, 'cudaLaunchKernel_v7000'), (6, 'cudaMemcpyAsync_v3020'),
	(7, 'cudaStreamSynchronize_v3020'), (8, 'cudaGraphLaunch_v10000'), (9, 'layer1.stage2_f'), (10, 'worker'),
	(11, 'cudaMemsetAsync_v3020');

CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2024.1.1'), ('EXPORT_SCHEMA_VERSION', '3.13.2');
CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:COMMAND', 'python'), ('PROCESS_0:ARGUMENT_0', 'train.py');
CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL, name TEXT, smCount INTEGER, totalMemory INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100', 132, 85899345920), (1, 'NVIDIA H100', 132, 85899345920);
CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER, duration INTEGER);
INSERT INTO ANALYSIS_DETAILS VALUES (0, 20000);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
INSERT INTO PROCESSES VALUES (10 << 24, 10, 'python'), (20 << 24, 20, 'python');
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
INSERT INTO ThreadNames VALUES (10, 0, 10 << 24 | 11);

CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER,
	globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
	(100, 150, 0, 10 << 24 | 10, 1, 5, 0), (200, 260, 0, 10 << 24 | 10, 2, 5, 0), (300, 330, 0, 10 << 24 | 11, 3, 6, 0),
	(400, 450, 0, 10 << 24 | 11, 4, 5, 0), (500, 560, 0, 10 << 24 | 10, 5, 8, 0), (600, 9000, 0, 10 << 24 | 10, 6, 7, 0),
	(610, 650, 0, 10 << 24 | 10, 7, 11, 0), (100, 160, 0, 20 << 24 | 20, 1, 5, 0), (200, 250, 0, 20 << 24 | 20, 2, 5, 0),
	(300, 360, 0, 20 << 24 | 21, 3, 5, 0), (9100, 9150, 0, 20 << 24 | 20, 4, 5, 0);

CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
	contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
	demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, graphNodeId INTEGER, gridX INTEGER NOT NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
	(1000, 2000, 0, 1, 7, 1, 10 << 24, 2, 1, NULL, 1), (1500, 2600, 0, 1, 13, 2, 10 << 24, 4, 3, NULL, 1),
	(4000, 4000, 0, 1, 7, 4, 10 << 24, 2, 1, NULL, 1), (5000, 5600, 0, 1, 7, 4, 10 << 24, 2, 1, 9, 1),
	(1100, 2100, 1, 1, 7, 1, 20 << 24, 2, 1, NULL, 1), (1200, 3000, 1, 1, 13, 2, 20 << 24, 4, 3, NULL, 1),
	(3000, 3500, 1, 1, 7, 3, 20 << 24, 2, 1, NULL, 1), (9200, 9900, 1, 1, 7, 4, 20 << 24, 2, 1, NULL, 1);

CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER,
	contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER, graphExecId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (6000, 7000, 0, 1, 7, 5, 10 << 24, 3, 4);

CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER,
	contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL,
	copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (3000, 3400, 0, 1, 14, 3, 10 << 24, 4096, 1, 1, 2);

CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER,
	contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, memKind INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (8000, 8100, 0, 1, 7, 7, 10 << 24, 64, 2);

CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
	category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER NOT NULL);
INSERT INTO NVTX_EVENTS VALUES
	(-1, NULL, 75, NULL, NULL, NULL, 'NCCL', 10 << 24 | 10, NULL, NULL, 1),
	(-1, NULL, 39, NULL, NULL, NULL, 'main', 10 << 24 | 10, NULL, NULL, 0),
	(0, NULL, 34, NULL, NULL, NULL, 'rank=0; pp=1/2 dp=0/1; mbs=1', 10 << 24 | 10, NULL, NULL, 0),
	(0, NULL, 34, NULL, NULL, NULL, 'rank=1; pp=2/2 dp=0/1; mbs=1', 20 << 24 | 20, NULL, NULL, 0),
	(50, 9500, 59, NULL, NULL, NULL, 'step 1', 10 << 24 | 10, NULL, NULL, 0),
	(90, 290, 59, NULL, NULL, NULL, NULL, 10 << 24 | 10, NULL, 9, 0),
	(190, 270, 59, NULL, NULL, NULL, 'ncclAllReduce', 10 << 24 | 10, NULL, NULL, 1),
	(290, 460, 59, NULL, NULL, NULL, 'copy', 10 << 24 | 11, NULL, NULL, 0),
	(50, 8000, 60, 1, NULL, NULL, 'request 7', 10 << 24 | 10, 10 << 24 | 11, NULL, 0),
	(50, 300, 59, NULL, NULL, NULL, 'forward chunk 0 (phase0) backward chunk 1 (phase1)', 20 << 24 | 20, NULL, NULL, 0),
	(9000, NULL, 59, NULL, NULL, NULL, 'step 2', 20 << 24 | 20, NULL, NULL, 0);

CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER NOT NULL, metricId INTEGER NOT NULL, metricName TEXT NOT NULL);
INSERT INTO TARGET_INFO_GPU_METRICS VALUES (1 << 32, 0, 'GPC Clock Frequency [MHz]'), (1 << 32, 1, 'Tensor Active [Throughput %]'),
	(1 << 32 | 1, 1, 'Tensor Active [Throughput %]');
CREATE TABLE GPU_METRICS (timestamp INTEGER NOT NULL, typeId INTEGER NOT NULL, metricId INTEGER NOT NULL, value INTEGER NOT NULL);
INSERT INTO GPU_METRICS VALUES (-100, 1 << 32, 0, 1980000000), (900, 1 << 32, 0, 1980000000), (900, 1 << 32, 1, 0),
	(1900, 1 << 32, 0, 1600000000), (1900, 1 << 32, 1, 70), (1950, 1 << 32 | 1, 1, 12), (2900, 1 << 32, 0, 1700000000),
	(2900, 1 << 32, 1, 33), (2950, 1 << 32 | 1, 1, 90);

CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL,
	bytes INTEGER NOT NULL, memKind INTEGER NOT NULL, memoryOperationType INTEGER NOT NULL, correlationId INTEGER);
INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (0, 10 << 24, 0, 4096, 2, 0, 0), (140, 10 << 24, 0, 1024, 2, 0, 1),
	(250, 10 << 24, 0, 512, 2, 1, 2), (210, 20 << 24, 1, 64, 1, 0, 2);

CREATE TABLE OSRT_API (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER, globalTid INTEGER, nameId INTEGER NOT NULL);
INSERT INTO OSRT_API VALUES (150, 190, 27, 10 << 24 | 10, 10), (620, 700, 27, 10 << 24 | 11, 10), (400, 9000, 27, 20 << 24 | 21, 1);
CREATE TABLE SCHED_EVENTS (start INTEGER NOT NULL, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER);
INSERT INTO SCHED_EVENTS VALUES (90, 0, 1, 10 << 24 | 10), (650, 0, 0, 10 << 24 | 10), (8900, 0, 1, 10 << 24 | 10),
	(40, 1, 0, 20 << 24 | 20), (80, 1, 1, 20 << 24 | 20);
CREATE TABLE COMPOSITE_EVENTS (id INTEGER NOT NULL PRIMARY KEY, start INTEGER NOT NULL, cpu INTEGER, globalTid INTEGER);
INSERT INTO COMPOSITE_EVENTS VALUES (1, 120, 0, 10 << 24 | 10), (2, 500, 0, 10 << 24 | 10), (3, 95, 1, 20 << 24 | 20);
CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER, module INTEGER, unresolved INTEGER, stackDepth INTEGER NOT NULL);
INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 5, 10, 0, 0), (1, 9, 10, 0, 1), (2, 1, 10, 1, 0), (2, 9, 10, 0, 1);
