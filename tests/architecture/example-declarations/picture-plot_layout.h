static notes *say;
static plot p;
static picture_metrics metrics;
