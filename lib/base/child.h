/*
 * child - the words of a command, for a process that no shell starts, and its run in our place: it has our input and
 * output, and the signals that ask us to end reach it.
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

void arguments_add(arguments *a, const char *word);            /* a copy of it; NULL: nothing */
void arguments_addf(arguments *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arguments_all(arguments *a, const text_list *words);

/* Several at once: arguments_words(&a, "-o", "cap"). */
#define arguments_words(a, ...) arguments_list((a), (const char *const[]){ __VA_ARGS__, NULL })
void arguments_list(arguments *a, const char *const *words);

/* --NAME=VALUE, unless that is NULL or 0. */
void arguments_option(arguments *a, const char *name, const char *value);
void arguments_number(arguments *a, const char *name, int64_t value);

/* Ended by NULL, until something is added. */
char *const *arguments_argv(arguments *a);

/* As it can be pasted into a shell. */
const char *arguments_line(arguments *a);

void arguments_free(arguments *a);

typedef struct {
	int failed;             /* errno: it could not be started; or 0 */
	int code;               /* its exit code; 128 and the number of the signal that killed it, as in a shell */
	int signalled;              /* the signal that asked us, and so it, to end; or 0 */
	double seconds;
} child_end;

/* Wait for it, however often we are asked to end: it ends when it is ready to. */
child_end child_run(arguments *a);

/* Where a child that is not waited for at once has its input and output, and its signals. */
typedef struct {
	bool ours;              /* it has our input and output; else these */
	int in, out, err;       /* in 0: none */
	bool group;             /* a group of processes of its own, so that all that it starts can be killed */
	sigset_t mask;          /* the signals that it blocks */
} child_io;

/* 0, or the errno. */
int child_start(pid_t *pid, char *const *argv, const child_io *io);

/* The exit code of what waitpid says. */
int child_code(int status);

/* Is there such a program, on PATH or where its name says? */
bool child_there(const char *program);

/* What a program prints, in the arena; NULL if it cannot be run, fails, or takes longer than 20 s.  words: its own name
 * and its arguments, ended by NULL. */
const char *child_text(arena *to, const char *const *words);

/* The same whatever its exit code is, and with more patience or less; NULL if it cannot be run. */
const char *child_read_output(arena *to, const char *const *words, int patience_s, int *code);

#define CHILD_TEXT(to, ...) child_text((to), (const char *const[]){ __VA_ARGS__, NULL })
