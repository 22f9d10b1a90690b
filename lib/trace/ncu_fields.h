/*
 * ncu_fields - what single fields of Nsight Compute's CSV mean.
 *
 *     str_pool names = { 0 };
 *     puts(str_at(&names, ncu_shape(&names, "(128, 1, 1)", 11)));        // 128x1x1
 *     str_free(&names);
 */
#pragma once

#include "base/strings.h"

/* (128, 1, 1) as the string 128x1x1. */
uint32_t ncu_shape(str_pool *names, const char *s, size_t len);

/* The name of the innermost range in TID  "DOMAIN:NAME:..."  "DOMAIN:NAME:..."; STR_NONE: there is none. */
uint32_t ncu_range(str_pool *names, const char *s, size_t len);
