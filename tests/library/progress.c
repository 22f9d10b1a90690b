/*
 * progress [-q]: half of the work done at once, and again after more than two seconds.
 */
#include "cli/errors.h"
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	(void)argv;
	errors_begin("nsq-test");
	if (argc > 1)
		errors_be_quiet();
	progress_begin();
	progress_show("writing", 1, 4);
	usleep(2100000);
	progress_show("writing", 2, 4);
	progress_show("writing", 3, 4);         /* too soon */
	usleep(300000);
	progress_show("writing", 9, 4);
	progress_end();
	progress_end();
	return 0;
}
