/* measure - run a command and print "SECONDS MEGABYTES", wall time and peak memory; exit with its status. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec a, b;
	struct rusage use;
	int status, null;
	pid_t pid;

	if (argc < 2) {
		fputs("usage: measure COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &a);
	pid = fork();
	if (pid == 0) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &use) < 0) {
		perror("measure");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%.3f %.1f\n", (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9,
	       (double)use.ru_maxrss / 1024);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
