/*
 * pipeline - a command line with {} in it, run by a shell for one file after the other.
 *
 *     notes say = { 0 };
 *     pipeline p = { 0 };
 *     child_io io = { .ours = true };
 *     pid_t pid;
 *     if (pipeline_read(&p, "nsq-window {} | nsq-overlap", &say))
 *         pipeline_start(&p, "my run.sqlite", &io, &pid);
 *     arena_free(&p.texts);
 *     notes_free(&say);
 *
 * The path is the shell's first parameter and never read as a part of the command, whatever is in it: {} becomes
 * "${1}" outside quotes, ${1} within double ones, and '"${1}"' within single ones.
 */
#pragma once

#include "base/notes.h"
#include "capture/child.h"

typedef struct {
	const char *shell;      /* bash where there is one, else sh */
	const char *text;       /* what it runs */
	arena texts;
} pipeline;

/* False after a problem: there is no {}, it stands where no parameter can, or the pipeline lacks its end. */
bool pipeline_read(pipeline *p, const char *given, notes *say);

/* 0, or the errno.  Its exit code will be the largest of the last pipeline's parts if it is bash, else that of its last
 * part. */
int pipeline_start(const pipeline *p, const char *path, const child_io *io, pid_t *pid);
