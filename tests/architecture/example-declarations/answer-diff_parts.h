static read_table before, after;
static notes *say;
