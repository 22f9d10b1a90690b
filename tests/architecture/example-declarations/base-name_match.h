static regex_t re;
