static trace *t;
