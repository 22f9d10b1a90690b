static trace *t;
static owners *o;
static job *j;
