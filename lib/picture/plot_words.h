/*
 * plot_words - what people call columns and pictures.
 *
 *     arena texts = { 0 };
 *     puts(plot_words(&texts, plot_column_of(&rows, "idle_p50_ns")));            // median idle time
 *     puts(plot_title(&texts, &choice));                                         // Idle time per window, by cause
 *     arena_free(&texts);
 */
#pragma once

#include "picture/plot_choose.h"

/* A column as a person says it. */
const char *plot_words(arena *a, const plot_column *c);

/* The same as one of several parts: "compute only" for compute_only_ns. */
const char *plot_short(arena *a, const plot_column *c);

/* What the axes of values and along are called; NULL: there is nothing to say. */
const char *plot_value_words(arena *a, const plot_choice *c);
const char *plot_along_words(arena *a, const plot_choice *c);

/* What a picture shows, as a sentence without its unit. */
const char *plot_title(arena *a, const plot_choice *c);
