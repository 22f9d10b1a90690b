#include "map/mapping.h"

static format_writer writer;
static results all;
static notes say;
static map_ctx *m;
void show(notes *n);
void pause_it(bool on);
void progress(const char *doing, size_t done, size_t of);
