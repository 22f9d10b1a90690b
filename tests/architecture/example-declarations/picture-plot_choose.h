static notes *say;
static plot_rows rows;
static plot_params params;
