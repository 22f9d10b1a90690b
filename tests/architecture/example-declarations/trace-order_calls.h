static calls_raw raw;
static unsigned need;
static trace *t;
