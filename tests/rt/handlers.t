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

# Branches of a handler are in the path where it ran: at the end of a word, or in a call. One that jumps away, too.
program q <<'E'
#include "recorded.h"
#include <setjmp.h>
#include <sys/time.h>
static volatile long calls;
static sigjmp_buf back;
static void tick(int sig) { for (int i = 0; B(i < sig * 5); i++) calls++; }
static void away(int sig) { B(sig); B(0); siglongjmp(back, 1); }
int main(void)
{
	struct sigaction a = {.sa_handler = tick}, old;
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	if (sigaction(SIGALRM, &a, NULL) || sigaction(SIGALRM, NULL, &old) || old.sa_handler != tick) return 1;
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; i < 20000000; i++) B(i % 7 == 0);
	setitimer(ITIMER_REAL, &never, NULL);
	if (!calls) return 2;
	long ticks = calls / (SIGALRM * 5);
	if (signal(SIGUSR1, away) != SIG_DFL || signal(SIGUSR1, away) != away) return 3;
	for (volatile int i = 0; i < 10; i++)
		if (!sigsetjmp(back, 1)) raise(SIGUSR1);
	signal(SIGSEGV, away);
	if (!sigsetjmp(back, 1)) *(volatile int *)8 = 1;
	B(1), B(1);
	printf("%ld %ld\n", ticks, 20000000 + ticks * (SIGALRM * 5 + 1) + 11 * 2 + 2);
	return 0;
}
E
record 0 ./q >said
dump
read -r ticks bits <said
has dump "^thread 1 bits $bits "
[ "$ticks" -gt 0 ] || fail "no ticks"

# No place that the log can name comes: the handler runs all the same, and its branches are left out.
program w <<'E'
#include "recorded.h"
static volatile int stop;
static void tick(int sig) { B(sig); stop = 1; }
int main(void)
{
	signal(SIGALRM, tick);
	ualarm(1000, 0);
	while (!stop) ;
	B(1);
	return 0;
}
E
record 0 ./w
dump
has dump '^thread 1 bits 1 '

# Signals that queue are not lost while they wait for a place; a handler with SA_NODEFER may come in its own middle, others keep to their mask.
program r -D_GNU_SOURCE <<'E'
#include "recorded.h"
static volatile int calls, deepest, depth, inside, stop, started;
static void counts(int sig) { (void)sig; if (++calls == 3) stop = 1; }
static void *spins(void *p)
{
	started = 1;
	while (!stop) ;
	return p;
}
static void go_on(void) { for (int i = 0; i < 200; i++) B(i & 1); }
static void again(int sig)
{
	if (++depth > deepest) deepest = depth;
	if (depth == 1) raise(sig), go_on();
	depth--;
}
static void second(int sig) { (void)sig; inside = depth; }
static void masks(int sig)
{
	(void)sig;
	depth++;
	raise(SIGUSR2), go_on();
	depth--;
}
int main(void)
{
	pthread_t t;
	struct sigaction a = {.sa_handler = again, .sa_flags = SA_NODEFER}, b = {.sa_handler = masks};
	signal(SIGRTMIN, counts);
	pthread_create(&t, NULL, spins, NULL);
	while (!started) ;
	for (int i = 0; i < 3; i++) pthread_sigqueue(t, SIGRTMIN, (union sigval){0});
	pthread_join(t, NULL);
	sigaction(SIGUSR1, &a, NULL);
	raise(SIGUSR1), go_on();
	signal(SIGUSR2, second);
	sigaddset(&b.sa_mask, SIGUSR2);
	sigaction(SIGHUP, &b, NULL);
	raise(SIGHUP), go_on();
	printf("%d calls, %d deep, %d inside\n", calls, deepest, inside);
	return 0;
}
E
same "$(./r)" '3 calls, 2 deep, 0 inside'
record 0 ./r >out
same "$(cat out)" '3 calls, 2 deep, 0 inside'

# abort has its handler called, and does not come back for it.
program a <<'E'
#include "recorded.h"
static void mine(int sig) { (void)sig; _exit(3); }
int main(void) { signal(SIGABRT, mine); abort(); }
E
record 3 ./a

# A handler that ran late leaves in errno what it left there, and the runtime nothing of its own.
program e <<'E'
#include "recorded.h"
#include <errno.h>
static volatile int stop;
static void tick(int sig) { (void)sig; errno = 5; stop = 1; }
int main(void)
{
	signal(SIGALRM, tick);
	ualarm(1000, 0);
	errno = 77;
	while (!stop) B(1);
	return errno == 5 ? 0 : 1;
}
E
record 0 ./e
