static const char *s;
