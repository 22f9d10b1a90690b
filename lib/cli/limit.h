/*
 * limit - a limit on the time that compiling a user's regular expression may take.
 *
 *     limit_begin("regular expression", "(a*)*$");
 *     limit_end();
 *
 * glibc takes exponential time for some short expressions of anchors and parts that
 * may be empty, and cannot be interrupted: after two seconds of CPU time, the program
 * says so and exits with EXIT_WRONG.
 */
#ifndef LIMIT_H
#define LIMIT_H

/* what and text are for the message. */
void limit_begin(const char *what, const char *text);
void limit_end(void);

#endif
