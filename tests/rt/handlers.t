# The target's own handlers work as without us, see no handler of ours, and a failure after them is still noted.
program p <<'E'
#include "recorded.h"
#include <errno.h>
#include <setjmp.h>
static sigjmp_buf back;
static void jump(int sig) { siglongjmp(back, sig); }
static void again(int sig, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	puts("mine");
	fflush(stdout);
	signal(sig, SIG_DFL);
	raise(sig);
}
int main(int argc, char **argv)
{
	struct sigaction old, a = {.sa_sigaction = again, .sa_flags = SA_SIGINFO};
	errno = 77;
	if (sigaction(SIGSEGV, NULL, &old) || old.sa_handler != SIG_DFL || old.sa_flags) return 1;
	if (signal(SIGSEGV, jump) != SIG_DFL) return 2;
	if (!sigsetjmp(back, 1)) *(volatile int *)8 = 1;
	if (signal(SIGSEGV, SIG_DFL) != jump) return 3;
	if (signal(SIGSEGV, SIG_DFL) != SIG_DFL) return 4;
	if (sigaction(SIGSEGV, &a, &old) || old.sa_handler != SIG_DFL) return 5;
	if (sigaction(SIGABRT, &a, &old) || old.sa_handler != SIG_DFL) return 6;
	if (sigaction(SIGABRT, &old, &a) || a.sa_sigaction != again) return 7;
	if (errno != 77) return 8;
	if (argc > 1) *(volatile int *)8 = 1;
	return 0;
}
E
ulimit -c 0
status 0 ./p
record 0 ./p
dump
has dump '^failure none' '^flags 4'
record 139 ./p x >out
same "$(cat out)" mine
dump
has dump '^failure signal 11 1 frames [2-9]' '^flags 0'
