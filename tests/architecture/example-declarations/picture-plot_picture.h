static picture_metrics metrics;
