/* measure [-n RUNS] COMMAND - run a command RUNS times (default: 1), and print "SECONDS MEGABYTES": the mean wall time
 * of a run, and the peak memory of the last run.  The first run that fails is the last, and its status is the exit
 * status. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int run(char **command, struct rusage *use)
{
	int status, null;
	pid_t pid = fork();

	if (pid == 0) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, use) < 0) {
		perror("measure");
		exit(1);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int main(int argc, char **argv)
{
	bool several = argc > 2 && strcmp(argv[1], "-n") == 0;
	int runs = several ? atoi(argv[2]) : 1, status = 0;
	char **command = argv + (several ? 3 : 1);
	struct timespec a, b;
	struct rusage use;

	if (!*command || runs < 1) {
		fputs("usage: measure [-n RUNS] COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < runs && !status; i++)
		status = run(command, &use);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.4f %.1f\n", ((double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9) / runs,
	       (double)use.ru_maxrss / 1024);
	return status;
}
