static trace *t;
static nvtx_raw raw;
static unsigned need;
