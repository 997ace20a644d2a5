# Handlers of faults come back to code that had gone ways that append nothing: those are in the log behind them, and the path goes on there.
cat >pages.c <<'C'
/* Pages are made accessible when they are first used, by the handler of the fault; two threads count what they find without a lock. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
enum { PAGES = 24, PAGE = 4096 };
static char *pages;
static int kinds[PAGES], weights[PAGES];
static long found;
static void use(int signal, siginfo_t *info, void *context)
{
	mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE);
}
static void *count(void *arg)
{
	long odds = 0;
	int first = arg ? PAGES / 2 : 0;
	for (int i = first; i < first + PAGES / 2; i++) {
		if (__builtin_expect(weights[i] > 100, 0))
			odds += weights[i];
		if (__builtin_expect(kinds[i] == 9, 0))
			odds += i;
		char *page = pages + i * PAGE;
		long was = found;
		page[i] += 1;
		if (__builtin_expect(kinds[i] == 3, 0))
			odds ^= page[i];
		found = was + 1;
	}
	return (void *)odds;
}
int main(void)
{
	pages = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction a = { .sa_sigaction = use, .sa_flags = SA_SIGINFO };
	sigaction(SIGSEGV, &a, NULL);
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, count, (void *)i);
	for (int i = 0; i < PAGES; i++)
		kinds[i] = i % 5, weights[i] = i;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(found == PAGES);
	return 0;
}
C
ENGINE=solve proven pages.c
