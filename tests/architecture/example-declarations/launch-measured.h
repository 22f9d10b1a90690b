#include "launch/measured.h"
static trace *t;
static const ncu_csv *csv;
