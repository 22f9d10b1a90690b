/*
 * child - builds a command line without a shell, and runs it in our place: the child has our input and output, and
 * signals that ask us to end reach it.
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
void arguments_addf(arguments *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arguments_add_all(arguments *a, const text_list *words);

/* Add several words: arguments_words(&a, "-o", "cap"). */
#define arguments_words(a, ...) arguments_list((a), (const char *const[]){ __VA_ARGS__, NULL })
void arguments_list(arguments *a, const char *const *words);

/* Add --NAME=VALUE, unless the value is NULL or 0. */
void arguments_option(arguments *a, const char *name, const char *value);
void arguments_add_number_option(arguments *a, const char *name, int64_t value);

/* The words, ended by NULL; valid until something is added. */
char *const *arguments_argv(arguments *a);

/* The command as it can be pasted into a shell. */
const char *arguments_line(arguments *a);

void arguments_free(arguments *a);

typedef struct {
	int failed;             /* an errno value if it could not be started, otherwise 0 */
	int code;               /* its exit code; 128 + the number of the signal that killed it, as in a shell */
	int signalled;              /* the signal that asked us and the child to end; 0: none */
	double seconds;
} child_end;

/* Run the command, and wait until it ends by itself, even if signals ask us to end. */
child_end child_run(arguments *a);

/* The input, output and signals of a child that child_start starts. */
typedef struct {
	bool ours;              /* does it have our input and output?  if not, it has those below */
	int in, out, err;       /* descriptors; `in` 0: it has no input */
	bool group;             /* give it a process group of its own, so that everything it starts can be killed */
	sigset_t mask;          /* the signals that the child blocks */
} child_io;

/* Start a program, and do not wait for it.  Returns 0, or an errno value. */
int child_start(pid_t *pid, char *const *argv, const child_io *io);

/* The exit code in a status of waitpid. */
int child_code(int status);

/* Does the program exist, on PATH or, if its name has a slash, at that path? */
bool child_program_exists(const char *program);

/* The output of a program, in the arena; NULL: it cannot be run, fails, or takes longer than 20 s.  words: its name and
 * its arguments, ended by NULL. */
const char *child_output_if_ok(arena *to, const char *const *words);

/* The output of a program that may end with any exit code, within patience_s seconds; NULL: it cannot be run. */
const char *child_read_output(arena *to, const char *const *words, int patience_s, int *code);

#define CHILD_OUTPUT_IF_OK(to, ...) child_output_if_ok((to), (const char *const[]){ __VA_ARGS__, NULL })
