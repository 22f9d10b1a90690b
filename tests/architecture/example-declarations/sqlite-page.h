static uint32_t root_page;
