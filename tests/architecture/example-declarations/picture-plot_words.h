static plot_rows rows;
static plot_choice choice;
