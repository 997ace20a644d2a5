# Requests to Valgrind, as valgrind.h writes them, are assembly that does nothing but be seen: they return their default, and what surrounds them is
# inferred. Text that does something stays what it is.
cat >requests.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static unsigned long request(unsigned long normally, unsigned long what, unsigned long a)
{
	volatile unsigned long arguments[6] = {what, a};
	volatile unsigned long result;
	__asm__ volatile("rolq $3,  %%rdi ; rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
			 "xchgq %%rbx,%%rbx"
			 : "=d"(result) : "a"(&arguments[0]), "0"(normally) : "cc", "memory");
	return result;
}
static unsigned long turned(unsigned long x)
{
	__asm__ volatile("rolq $3, %%rdi" : "+D"(x) : : "cc");
	return x;
}
static volatile long total;
static void *adds(void *x)
{
	for (int i = 0; i < 50; i++) {
		long t = total;
		if (i % 5 == 2)
			sched_yield();
		total = t + (long)request(1, 0x1001, (unsigned long)i);
	}
	return x;
}
int main(int argc, char **argv)
{
	(void)argv;
	pthread_t a, b;
	printf("%lu %lu\n", request(7, 0x1001, 0), turned((unsigned long)argc));
	fflush(stdout);
	pthread_create(&a, NULL, adds, NULL);
	pthread_create(&b, NULL, adds, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(argc > 1 || total == 100);
	return 0;
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread requests.c -o requests
	same "$(./requests x)" '7 16'
	status 134 rethread record --until-failure --runs 500 ./requests 2>err
	rethread reproduce --engine solve >out 2>&1 || fail "$opt: $(cat out)"
	rethread replay -n 10 >out 2>&1
	has out 'reproduced 10/10'
done
