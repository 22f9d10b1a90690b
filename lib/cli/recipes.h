/*
 * recipes - lists, shows and runs recipes.
 *
 *     recipes_list(2);
 *     recipes_main(1, (char *[]){ "worst-stage", NULL });        // shows it
 */
#pragma once

#include <stdbool.h>

/* The name and question of each recipe, indented so much. */
void recipes_list(int indent);

/* The same, with how to use them. */
void recipes_help(void);

bool recipes_has(const char *name);

/* nsq recipe NAME [options] [TRACE...]: shows a recipe, or runs it and does not return; nor do --new, --accept and
 * --check. */
void recipes_main(int argc, char **argv);
