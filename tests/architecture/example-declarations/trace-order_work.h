static trace *t;
static dict processes;
static work_raw raw;
