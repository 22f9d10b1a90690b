static const inputs *in;
static notes *say;
static plot_params params;
