/*
 * child - builds a command line without a shell, runs it and waits for its end.  A child of child_run shares the input
 * and output of this program, and gets the signals that ask this program to end.
 *
 *     arguments a = { 0 };
 *     arguments_add(&a, "sleep");
 *     arguments_addf(&a, "%d", 1);
 *     puts(arguments_line(&a));                  // sleep 1, as one would type it
 *     child_outcome end = child_run(&a);
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

/* Add several words: arguments_add_words(&a, "-o", "cap"). */
#define arguments_add_words(a, ...) arguments_add_list((a), (const char *const[]){ __VA_ARGS__, NULL })
void arguments_add_list(arguments *a, const char *const *words);

/* Add --NAME=VALUE, unless the value is NULL or 0. */
void arguments_add_option(arguments *a, const char *name, const char *value);
void arguments_add_number_option(arguments *a, const char *name, int64_t value);

/* The words, ended by NULL; valid until something is added. */
char *const *arguments_argv(arguments *a);

/* The command as it can be pasted into a shell; freed with `a`. */
const char *arguments_line(arguments *a);

void arguments_free(arguments *a);

typedef struct {
	int failed;             /* an errno value if the child could not be started, otherwise 0 */
	int code;               /* the child's exit code, or 128 + the number of the signal that killed it, as in a
				 * shell */
	int signalled;          /* the first signal that asked this program to end while the child ran; 0: none */
	double seconds;
} child_outcome;

/* Run the command, and wait until it ends.  A signal that asks this program to end does not end the wait.  It is passed
 * to the child, unless it came from the terminal, which sends it to the child itself. */
child_outcome child_run(arguments *a);

/* The input, output and signals of a child that child_start starts. */
typedef struct {
	bool shared;            /* does the child share the input and output of this program? */
	int in, out, err;       /* unless `shared`: descriptors of its stdin, stdout and stderr; `in` 0: /dev/null */
	bool group;             /* give the child its own process group, so that everything it starts can be killed */
	sigset_t mask;          /* the signals that the child blocks */
} child_io;

/* Start a program, and do not wait for it.  Returns 0, or an errno value. */
int child_start(pid_t *pid, char *const *argv, const child_io *io);

/* The exit code in a status of waitpid, or 128 + the number of the signal that killed the child. */
int child_exit_code(int status);

/* Can this program be run?  A name with a slash is a path; any other name is looked for in the folders of PATH. */
bool child_program_exists(const char *program);

/* Run a program, and return what it writes to stdout and stderr; the text is in the arena.  *code gets its exit code.
 * A program that runs longer than patience_s seconds is killed: the text so far is returned, and *code is 137.  NULL:
 * the program cannot be started.  words: its name and its arguments, ended by NULL. */
const char *child_read_output(arena *to, const char *const *words, int patience_s, int *code);

/* child_read_output with a patience of 20 s; NULL: the program cannot be started, or its exit code is not 0. */
const char *child_output_if_ok(arena *to, const char *const *words);

/* child_output_if_ok with the words as arguments: CHILD_OUTPUT_IF_OK(to, "nsys", "--version"). */
#define CHILD_OUTPUT_IF_OK(to, ...) child_output_if_ok((to), (const char *const[]){ __VA_ARGS__, NULL })
