/*
 * progress - how far a long run is, on a terminal.
 *
 *     progress_begin();
 *     progress_show("writing", 42, 100);         // nsq-export: writing, 42 %
 *     progress_end();                            // wipes it away
 *
 * Nothing is shown in the first two seconds, with -q, or if stderr is not a terminal.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stddef.h>

/* When the program begins.  If nothing else is shown after two seconds, it is reading. */
void progress_begin(void);

/* Call it now and then, as often as you like. */
void progress_show(const char *doing, size_t done, size_t of);

/* Before a message is printed; it may be shown again. */
void progress_wipe(void);

/* Before the table is printed. */
void progress_end(void);

#endif
