#include "trace/sync_calls.h"
#include "base/memory.h"
#include "trace/call_class.h"

#include <string.h>

/* Is `call` the same as the first n bytes of `name`, which are `name` without its version?  Names of HIP count as those
 * of CUDA: hipFree as cudaFree. */
static bool sync_calls_is_call(const char *call, const char *name, size_t n)
{
	if (strncmp(name, "hip", 3) == 0 && strncmp(call, "cuda", 4) == 0)
		return sync_calls_is_call(call + 4, name + 3, n - 3);
	return strlen(call) == n && strncmp(call, name, n) == 0;
}

enum sync_call sync_call(const char *name)
{
	static const struct { const char *name; enum sync_call kind; } calls[] = {
		{ "cudaStreamWaitEvent", SYNC_CALL_STREAM_WAIT }, { "cuStreamWaitEvent", SYNC_CALL_STREAM_WAIT },
		{ "cudaStreamSynchronize", SYNC_CALL_STREAM }, { "cuStreamSynchronize", SYNC_CALL_STREAM },
		{ "cudaEventSynchronize", SYNC_CALL_EVENT }, { "cuEventSynchronize", SYNC_CALL_EVENT },
		{ "cudaDeviceSynchronize", SYNC_CALL_DEVICE }, { "cuCtxSynchronize", SYNC_CALL_DEVICE },
		{ "cudaThreadSynchronize", SYNC_CALL_DEVICE }, { "cudaFree", SYNC_CALL_DEVICE },
		{ "cudaStreamBeginCapture", SYNC_CALL_BEGIN_CAPTURE },
		{ "cuStreamBeginCapture", SYNC_CALL_BEGIN_CAPTURE },
		{ "cudaStreamBeginCaptureToGraph", SYNC_CALL_BEGIN_CAPTURE },
		{ "cuStreamBeginCaptureToGraph", SYNC_CALL_BEGIN_CAPTURE },
		{ "cudaStreamEndCapture", SYNC_CALL_END_CAPTURE }, { "cuStreamEndCapture", SYNC_CALL_END_CAPTURE },
	};
	size_t length = call_base_length(name);

	if (!call_is_cuda_or_hip(name))
		return SYNC_CALL_OTHER;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (sync_calls_is_call(calls[i].name, name, length))
			return calls[i].kind;
	if (strstr(name, "Memcpy"))
		return strstr(name, "Async") ? SYNC_CALL_COPY_ASYNC : SYNC_CALL_COPY;
	return strstr(name, "EventRecord") || call_replays_graph(name) ? SYNC_CALL_RECORD : SYNC_CALL_OTHER;
}

static void *sync_calls_build(trace *t, int64_t unused UNNEEDED)
{
	uint8_t *kind = mem_new(uint8_t, t->calls.nkinds);

	for (size_t i = 0; i < t->calls.nkinds; i++)
		if (t->calls.kinds[i].name != STR_NONE)
			kind[i] = (uint8_t)sync_call(str_at(&t->names, t->calls.kinds[i].name));
	return kind;
}

const uint8_t *sync_calls(trace *t)
{
	return trace_keep(t, sync_calls_build, 0, free);
}
