# Threads on the smallest stacks there are, also of the program's own, have room for what we need beside them; and the stack that handlers of
# ours run on is none of the program's.
cat >p.c <<'P'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *work(void *x)
{
	stack_t s;
	char text[64];
	sigaltstack(NULL, &s);
	pthread_mutex_lock(&m);
	snprintf(text, sizeof text, "%d", ++sum);
	printf("%s %d %d\n", text, s.ss_flags == SS_DISABLE, s.ss_sp == NULL);
	pthread_mutex_unlock(&m);
	return x;
}
int main(void)
{
	pthread_attr_t a;
	pthread_t t;
	static char own[16384];
	stack_t s = {.ss_sp = own, .ss_size = sizeof own}, was;
	for (size_t size = 16384; size <= 131072; size *= 2) {
		void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		pthread_attr_init(&a);
		pthread_attr_setstack(&a, stack, size);
		int error = pthread_create(&t, &a, work, NULL);
		if (error)
			printf("%zu: %s\n", size, strerror(error));
		else
			pthread_join(t, NULL);
		pthread_attr_init(&a);
		pthread_attr_setstacksize(&a, size);
		pthread_create(&t, &a, work, NULL);
		pthread_join(t, NULL);
		munmap(stack, size);
	}
	printf("%d", sigaltstack(&s, &was));
	printf(" %d", was.ss_flags == SS_DISABLE);
	printf(" %d", sigaltstack(NULL, &was));
	printf(" %d\n", was.ss_sp == own && was.ss_flags == 0);
	return sum;
}
P
clang-19 -O2 -pthread p.c -o native
status 8 ./native >expected
rethread cc -O2 -g -pthread p.c -o p
status 8 rethread record ./p >out 2>err
same "$(cat out)" "$(cat expected)"
rethread reproduce >out 2>&1 || fail "not reproduced: $(cat out)"
has out 'reproduced and proven by replay'
