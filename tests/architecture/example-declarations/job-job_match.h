static job *j;
static notes *say;
