#include "import/comms.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

/* The functions of NCCL.  The name of PyTorch's operation is put in lower case, without underscores; the first entry
 * whose `text` occurs in it gives the function.  elements: the argument with the number of elements of one rank; for
 * alltoall, it holds the number for all ranks together. */
static const struct { const char *text, *name, *elements; } operations[] = {
	{ "allreduce", "ncclAllReduce", "In msg nelems" }, { "barrier", "ncclAllReduce", "In msg nelems" },
	{ "allgather", "ncclAllGather", "In msg nelems" }, { "reducescatter", "ncclReduceScatter", "Out msg nelems" },
	{ "alltoall", "ncclAllToAll", "In msg nelems" }, { "broadcast", "ncclBroadcast", "Out msg nelems" },
	{ "reduce", "ncclReduce", "In msg nelems" }, { "gather", "ncclGather", "In msg nelems" },
	{ "scatter", "ncclScatter", "Out msg nelems" }, { "send", "ncclSend", "In msg nelems" },
	{ "recv", "ncclRecv", "Out msg nelems" },
};

/* The bytes of an element of this type; 0: the type is unknown or NULL. */
static int64_t comms_element_bytes(const char *type)
{
	static const struct { const char *names; int width; } types[] = {
		{ "double long complexfloat int64 float64 uint64", 8 }, { "float int int32 float32 uint32", 4 },
		{ "half bfloat16 short float16 int16 uint16", 2 }, { "byte char bool int8 uint8 float8_e4m3fn "
		"float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu", 1 }, { "complexdouble", 16 },
	};
	char lower[32] = "";

	for (size_t i = 0; type && type[i] && i < sizeof lower - 1; i++)
		lower[i] = (char)tolower((unsigned char)type[i]);
	for (size_t i = 0; *lower && i < sizeof types / sizeof *types; i++)
		if (text_is_listed_word(lower, strlen(lower), types[i].names))
			return types[i].width;
	return 0;
}

/* Continue an FNV-1a hash with a text. */
static uint64_t comms_hash(uint64_t hash, const char *text)
{
	for (const char *c = text ? text : ""; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	return hash;
}

bool comms_read(const json_t *args, comm *c)
{
	const char *name = event_text(args, "Collective name");
	int64_t elements, width = comms_element_bytes(event_text(args, "dtype"));
	char plain[64] = "";
	size_t n = 0, op = 0;

	for (; name && *name && n < sizeof plain - 1; name++)
		if (*name != '_')
			plain[n++] = (char)tolower((unsigned char)*name);
	while (op < sizeof operations / sizeof *operations && !strstr(plain, operations[op].text))
		op++;
	if (op == sizeof operations / sizeof *operations)
		return false;
	c->name = operations[op].name;
	c->size = event_int(args, "Group size", COMMS_UNKNOWN);
	c->rank = event_int(args, "Rank", COMMS_UNKNOWN);
	c->peer = strcmp(c->name, "ncclSend") == 0 || strcmp(c->name, "ncclRecv") == 0 ? c->rank : COMMS_UNKNOWN;
	if (c->peer != COMMS_UNKNOWN)
		c->rank = COMMS_UNKNOWN;          /* for these functions, "Rank" is the peer */
	elements = event_int(args, operations[op].elements, -1);
	if (elements > 0 && strcmp(c->name, "ncclAllToAll") == 0 && c->size > 0)
		elements /= c->size;
	c->bytes = elements >= 0 && width && elements < INT64_MAX / width ? elements * width : COMMS_UNKNOWN;
	c->id = comms_hash(comms_hash(0xcbf29ce484222325u, event_text(args, "Process Group Name")),
			   event_text(args, "Process Group Ranks"));
	return true;
}

/* The text of a member of a payload; "": its number is not known. */
static const char *comms_member(const char *name, int64_t number, arena *to)
{
	return number == COMMS_UNKNOWN ? "" : arena_printf(to, ", \"%s\": %lld", name, (long long)number);
}

const char *comms_payload(const comm *c, arena *to)
{
	return arena_printf(to, "{\"NCCL communicator ID\": \"0x%016llx\"%s%s}", (unsigned long long)c->id,
			    comms_member("Message size [bytes]", c->bytes, to), comms_member("Peer rank", c->peer, to));
}

const char *comms_creation_payload(const comm *c, arena *to)
{
	return arena_printf(to, "{\"NCCL communicator ID\": \"0x%016llx\"%s%s}", (unsigned long long)c->id,
			    comms_member("No. of ranks", c->size, to), comms_member("Rank", c->rank, to));
}
