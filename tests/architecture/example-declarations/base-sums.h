typedef struct { int64_t ns; } total;
static int64_t gpu, name;
