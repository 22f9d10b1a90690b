# Makes a small trace from a few lines, for tests of who waited for whom: the SQL of it, for sqlite3.
#
#     pid N                                   what follows is of process N (5)
#     call TID NAME START END ID              an API call; ID is its correlation id
#     kernel STREAM NAME START END ID [node=N] [gpu=N] [ctx=N]
#     copy STREAM START END ID [kind=N] [src=N] [dst=N] [node=N] [gpu=N] [ctx=N]
#     set STREAM START END ID
#     graph STREAM GRAPH START END ID         a whole graph
#     record STREAM ID SYNC                   an event recorded by call ID; SYNC is its eventSyncId
#     wait STREAM ID SYNC                     a stream told to wait by call ID
#     sync STREAM ID                          the row of a stream synchronization
#     await ID SYNC                           that of an event synchronization
#     range TID NAME START END                a push/pop range
#     rank TID N START                        a setup label
#     nccl TID OP COMM START END [peer=N]     a range of NCCL: ncclAllReduce, ncclSend ..., on communicator COMM
#     utc N                                   when the capture began
#     # ...                                   a comment
#
# ID - is none.  The names of calls get a version, as nsys writes them.
BEGIN {
	NONE = "4294967295"
	pid = 5
	split("AllGather 4 AllReduce 5 Broadcast 6 ReduceScatter 7 AlltoAll 8 Send 9 Recv 10", words, " ")
	for (i = 1; i in words; i += 2) schema["nccl" words[i]] = words[i + 1]
	print "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
	create("StringIds", "id INTEGER PRIMARY KEY, value TEXT")
	create("CUPTI_ACTIVITY_KIND_RUNTIME", "start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER")
	where = "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
	create("CUPTI_ACTIVITY_KIND_KERNEL", where "demangledName INTEGER, shortName INTEGER, graphNodeId INTEGER")
	create("CUPTI_ACTIVITY_KIND_MEMCPY", where "bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER, graphNodeId INTEGER")
	create("CUPTI_ACTIVITY_KIND_MEMSET", where "bytes INTEGER, memKind INTEGER")
	create("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", where "graphId INTEGER, graphExecId INTEGER")
	create("CUPTI_ACTIVITY_KIND_CUDA_EVENT", substr(where, index(where, "deviceId")) "eventId INTEGER, eventSyncId INTEGER")
	create("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", where "syncType INTEGER, eventId INTEGER, eventSyncId INTEGER")
	create("NVTX_EVENTS", "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER, binaryData TEXT")
}

function create(table, columns) { print "CREATE TABLE " table " (" columns ");" }

function insert(table, values) { print "INSERT INTO " table " VALUES (" values ");" }

function work(kind, start, end, stream, id, more) {
	insert("CUPTI_ACTIVITY_KIND_" kind, start ", " end ", " place(stream, id) ", " more)
}

function place(stream, id) { return given("gpu", 0) ", " given("ctx", 1) ", " stream ", " id ", " pid " << 24" }

function given(key, otherwise) { return key in option ? option[key] : otherwise }

function thread(tid) { return pid " << 24 | " tid }

function name(text) {
	if (!(text in names)) {
		names[text] = ++count
		texts[count] = text
	}
	return names[text]
}

# little(NUMBER, BYTES): in hexadecimal, the lowest byte first
function little(number, bytes,    hex) {
	for (hex = ""; bytes-- > 0; number = int(number / 256)) hex = hex sprintf("%02x", number % 256)
	return hex
}

# payload(OP, COMMUNICATOR, PEER): what NCCL says of 1024 bytes
function payload(op, comm, peer,    data) {
	data = little(comm, 8) little(1024, 8) (pairs(op) ? "" : little(peer, 4) little(0, 4))
	return "x'" little(1, 8) little(16777216 + schema[op], 8) little(length(data) / 2, 8) little(32, 8) data "'"
}

# What is sent and received alike has no third entry.
function pairs(op) { return op ~ /^ncclAll(Gather|toAll)$/ }

function schemas(    op, third) {
	create("NVTX_PAYLOAD_SCHEMAS", "domainId INTEGER, schemaId INTEGER, name TEXT, type INTEGER, flags INTEGER, numEntries INTEGER, " \
		"payloadSize INTEGER, alignTo INTEGER")
	create("NVTX_PAYLOAD_SCHEMA_ENTRIES", "domainId INTEGER NOT NULL, schemaId INTEGER NOT NULL, idx INTEGER NOT NULL, flags INTEGER, " \
		"type INTEGER, name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER")
	for (op in schema) {
		id = 16777216 + schema[op]
		insert("NVTX_PAYLOAD_SCHEMAS", "1, " id ", NULL, 1, NULL, " (pairs(op) ? "2, 16" : "3, 24") ", NULL")
		third = op ~ /Send|Recv/ ? "5, 'Peer rank'" : op ~ /Broadcast/ ? "5, 'Root'" : "16777236, 'Reduction operation'"
		entry(id, 0, "18, 'NCCL communicator ID'", "NULL")
		entry(id, 1, "22, 'Message size [bytes]'", 8)
		if (!pairs(op)) entry(id, 2, third, 16)
	}
}

function entry(schema, number, type_and_name, offset) {
	insert("NVTX_PAYLOAD_SCHEMA_ENTRIES", "1, " schema ", " number ", NULL, " type_and_name ", NULL, NULL, " offset)
}

{
	n = 0
	split("", option)
	split("", w)
	for (i = 1; i <= NF; i++) {
		if (split($i, both, "=") == 2) option[both[1]] = both[2]
		else w[n++] = $i == "-" ? "NULL" : $i
	}
	if (!n || w[0] ~ /^#/) next
	if (w[0] == "pid") pid = w[1]
	else if (w[0] == "call") insert("CUPTI_ACTIVITY_KIND_RUNTIME", w[3] ", " w[4] ", " thread(w[1]) ", " w[5] ", " name(w[2] "_v3020"))
	else if (w[0] == "kernel") work("KERNEL", w[3], w[4], w[1], w[5], name(w[2]) ", " name(w[2]) ", " given("node", "NULL"))
	else if (w[0] == "copy") work("MEMCPY", w[2], w[3], w[1], w[4], "4096, " given("kind", 1) ", " given("src", 1) ", " given("dst", 2) ", " given("node", "NULL"))
	else if (w[0] == "set") work("MEMSET", w[2], w[3], w[1], w[4], "64, 2")
	else if (w[0] == "graph") work("GRAPH_TRACE", w[3], w[4], w[1], w[5], w[2] ", " w[2])
	else if (w[0] == "record") insert("CUPTI_ACTIVITY_KIND_CUDA_EVENT", place(w[1], w[2]) ", 1, " w[3])
	else if (w[0] == "wait") work("SYNCHRONIZATION", 0, 0, w[1], w[2], "2, 1, " w[3])
	else if (w[0] == "sync") work("SYNCHRONIZATION", 0, 0, w[1], w[2], "2, " NONE ", " NONE)
	else if (w[0] == "await") work("SYNCHRONIZATION", 0, 0, NONE, w[1], "1, 1, " w[2])
	else if (w[0] == "range") insert("NVTX_EVENTS", w[3] ", " w[4] ", 59, '" w[2] "', " thread(w[1]) ", NULL, 0, NULL")
	else if (w[0] == "rank") insert("NVTX_EVENTS", w[3] ", " w[3] ", 59, 'rank=" w[2] "; dp=" w[2] "/2', " thread(w[1]) ", NULL, 0, NULL")
	else if (w[0] == "nccl" && w[2] in schema) {
		insert("NVTX_EVENTS", "-1, NULL, 75, 'NCCL', " thread(w[1]) ", NULL, 1, NULL")
		insert("NVTX_EVENTS", w[4] ", " w[5] ", 59, NULL, " thread(w[1]) ", " name(w[2]) ", 1, " payload(w[2], w[3], given("peer", 0)))
		nccl = 1
	} else if (w[0] == "utc") {
		create("TARGET_INFO_SESSION_START_TIME", "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT")
		insert("TARGET_INFO_SESSION_START_TIME", w[1] ", '', ''")
	} else {
		print "chain.awk: what is '" $0 "'?" > "/dev/stderr"
		exit bad = 1
	}
}

END {
	if (bad) exit 1
	if (nccl) schemas()
	for (i = 1; i <= count; i++) insert("StringIds", i ", '" texts[i] "'")
	print "COMMIT;"
}
