static const inputs *in;
static plot_params params;
static plot_choice choice;
