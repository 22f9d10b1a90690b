/*
 * view_colors - the colors of a timeline's page, which are those of nsq-plot.
 *
 *     view_colors_write((const char *const[]){ "gemm", "attn" }, (const uint32_t[]){ 3, 7 }, 2, stdout);
 *     printf("%u\n", view_colors_range("forward"));      // a number of "ranges"
 *
 * They are an object with a list for each kind: "category" (those given, as [NUMBER, LIGHT, DARK], where the number is
 * that of the name), "idle" and "call" (in the order of enum idle_cause and enum call_class, with their words), "mark",
 * "os", "counter", "other", and "range": all colors, of which a name chooses one.
 */
#ifndef VIEW_COLORS_H
#define VIEW_COLORS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void view_colors_write(const char *const *categories, const uint32_t *numbers, size_t n, FILE *to);

/* Which color a range of this name has. */
unsigned view_colors_range(const char *name);

#endif
