static const read_table *both[DIFF_SIDES];
static diff_plan plan;
static notes *say;
