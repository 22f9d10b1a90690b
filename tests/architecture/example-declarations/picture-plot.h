static const inputs *in;
static notes *say;
