static trace *t;
static const late_steps *of;
static job *j;
