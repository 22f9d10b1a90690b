static notes *say;
static plot p;
static plot_choice choice;
static plot_items items;
static uint32_t *panels, *series;
