static int64_t gpu, name;
