static const inputs *in;
static plot_params params;
