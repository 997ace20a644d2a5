# Handlers that report a fault and then end the process: they return to where the default action strikes, send the process the same signal, which
# another thread may get, or exit. What they do is not followed, but a replay runs into it.
cat >pops.c <<'P'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
struct node { struct node *next; long value; };
static struct node *volatile list;
static volatile long sum;
static void report(int number)
{
	static char text[4000];
	int n = 0;
	for (int i = 0; i < LINES; i++)
		for (unsigned long v = (unsigned long)number * 77 + (unsigned long)i; v && n < 3900; v /= 16)
			text[n++] = "0123456789abcdef"[v % 16];
	text[n++] = '\n';
	if (write(2, text, (size_t)n) != n)
		abort();
	ENDS;
}
static void *pop(void *x)
{
	for (int i = 0; i < 200; i++, usleep(1))
		if (list) {
			if (i % 7 == 3)
				usleep(50);
			sum += list->value; // Bug: it may be gone
			list = NULL;
		}
	return x;
}
static void *push(void *x)
{
	static struct node nodes[200];
	for (int i = 0; i < 200; i++, usleep(1)) {
		nodes[i].value = i;
		list = &nodes[i];
	}
	return x;
}
int main(void)
{
	pthread_t t[3];
	struct sigaction a = {.sa_handler = report, .sa_flags = FLAGS};
	sigaction(SIGSEGV, &a, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i ? pop : push, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
# crashes STATUS LINES FLAGS ENDS
crashes() {
	rethread cc -O2 -g -pthread -DLINES="$2" -DFLAGS="$3" -DENDS="$4" -o pops pops.c
	status "$1" rethread record --until-failure --runs 300 ./pops 2>err >shown
	rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$*: $(cat out)"
	rethread replay -n 5 >out 2>&1 || fail "$*: $(cat out)"
	has out 'reproduced 5/5'
}
crashes 139 2 0 'signal(number, SIG_DFL)'
has err 'SIGSEGV at address 0x8'
crashes 139 900 'SA_RESETHAND | SA_NODEFER' 'kill(getpid(), number)'
has err 'SIGSEGV at address 0x8'
crashes 139 900 SA_NODEFER 'signal(number, SIG_DFL), raise(number)'
has err 'SIGSEGV at address 0x8'
crashes 7 900 0 '_exit(7)'
