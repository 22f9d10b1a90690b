/*
 * nsq, with another progress.c: it draws what it is told each time, on whatever stderr is, so that no load of the
 * machine changes what is shown.  Messages go to the same place, and do not wipe it away.
 */
#define progress_begin timed_begin
#define progress_show timed_show
#include "cli/progress.c"
#undef progress_begin
#undef progress_show

void progress_begin(void);
void progress_show(const char *doing, size_t done, size_t of);

void progress_begin(void)
{
	begun = true;
}

void progress_show(const char *doing, size_t done, size_t of)
{
	timed_show(doing, done, of);
	pthread_mutex_lock(&lock);
	if (begun && !over)
		progress_draw_line(0);
	pthread_mutex_unlock(&lock);
}
