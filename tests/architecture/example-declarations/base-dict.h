static int64_t globalTid;
