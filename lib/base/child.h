/*
 * child - builds a command line without a shell, runs it and waits for its end.  The child of child_run has our input
 * and output, and gets the signals that ask us to end.
 *
 *     arguments a = { 0 };
 *     arguments_add(&a, "sleep");
 *     arguments_addf(&a, "%d", 1);
 *     puts(arguments_line(&a));                  // sleep 1, as one would type it
 *     child_end end = child_run(&a);
 *     if (end.failed)
 *         puts(strerror(end.failed));            // it could not be started
 *     printf("%d %d %.1f\n", end.code, end.signalled, end.seconds);         // 0 0 1.0
 *     arguments_free(&a);
 */
#pragma once

#include "base/arena.h"
#include "base/text.h"

#include <signal.h>
#include <stdint.h>
#include <unistd.h>

typedef struct {
	text_list list;
	arena texts;
} arguments;

void arguments_add(arguments *a, const char *word);            /* adds a copy of the word; nothing if it is NULL */
void arguments_addf(arguments *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));  /* adds one word */
void arguments_add_all(arguments *a, const text_list *words);

/* Add several words: arguments_words(&a, "-o", "cap"). */
#define arguments_words(a, ...) arguments_add_list((a), (const char *const[]){ __VA_ARGS__, NULL })
void arguments_add_list(arguments *a, const char *const *words);

/* Add --NAME=VALUE, unless the value is NULL or 0. */
void arguments_add_option(arguments *a, const char *name, const char *value);
void arguments_add_number_option(arguments *a, const char *name, int64_t value);

/* The words, ended by NULL; valid until something is added. */
char *const *arguments_argv(arguments *a);

/* The command as it can be pasted into a shell. */
const char *arguments_line(arguments *a);

void arguments_free(arguments *a);

typedef struct {
	int failed;             /* an errno value if the child could not be started, otherwise 0 */
	int code;               /* its exit code; 128 + the number of the signal that killed it, as in a shell */
	int signalled;          /* the first signal that asked us, and so the child, to end; 0: none */
	double seconds;
} child_end;

/* Run the command, and wait until it ends.  A signal that asks us to end is passed on, and does not end the wait. */
child_end child_run(arguments *a);

/* The input, output and signals of a child that child_start starts. */
typedef struct {
	bool ours;              /* does the child share our input and output?  Otherwise it gets in, out and err */
	int in, out, err;       /* descriptors; `in` 0: /dev/null */
	bool group;             /* give the child its own process group, so that everything it starts can be killed */
	sigset_t mask;          /* the signals that the child blocks */
} child_io;

/* Start a program, and do not wait for it.  Returns 0, or an errno value. */
int child_start(pid_t *pid, char *const *argv, const child_io *io);

/* The exit code in a status of waitpid; 128 + the number of the signal that killed the child. */
int child_code(int status);

/* Is there such a program that we may run, on PATH or, if its name has a slash, at that path? */
bool child_program_exists(const char *program);

/* What a program writes to stdout and stderr, in the arena, whatever its exit code.  After patience_s seconds it is
 * killed, and the text so far is returned, with code 137.  NULL: it cannot be run.  words: its name and its arguments,
 * ended by NULL. */
const char *child_read_output(arena *to, const char *const *words, int patience_s, int *code);

/* The same with a patience of 20 s; NULL: it cannot be run, or its exit code is not 0. */
const char *child_output_if_ok(arena *to, const char *const *words);

/* The same with the words as arguments: CHILD_OUTPUT_IF_OK(to, "nsys", "--version"). */
#define CHILD_OUTPUT_IF_OK(to, ...) child_output_if_ok((to), (const char *const[]){ __VA_ARGS__, NULL })
