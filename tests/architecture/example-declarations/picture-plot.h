static notes *say;
static const inputs *in;
