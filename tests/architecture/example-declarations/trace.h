#include "trace/load.h"
#include "trace/global_id.h"
#include "trace/launches.h"
#include <signal.h>
#include <unistd.h>
static trace *t;
static const int64_t *process_of_stream;
static int64_t thread_id, correlation_id;
static int64_t *corr;
static dict processes, threads;
static unsigned need;
