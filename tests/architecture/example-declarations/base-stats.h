static size_t g, groups;
static uint32_t group;
static int64_t dur_ns;
