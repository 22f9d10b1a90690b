static plot_look look;
