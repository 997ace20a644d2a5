# The buffer of a function lies where another function had variables that threads raced for: what is put there is known to the library that reads it.
cat >p.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *add(void *p)
{
	volatile int *counter = p;
	for (int i = 0; i < 3000; i++)
		counter[i & 15]++; /* bug: both threads have them */
	return NULL;
}
__attribute__((noinline)) static int race(void)
{
	volatile int counter[16] = {0};
	pthread_t t, u;
	pthread_create(&t, NULL, add, (void *)counter);
	pthread_create(&u, NULL, add, (void *)counter);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	int sum = 0;
	for (int i = 0; i < 16; i++)
		sum += counter[i];
	return sum;
}
__attribute__((noinline)) static long parse(const char *from, int n)
{
	char text[64];
	int i;
	for (i = 0; i < 63 && n; n /= 7)
		text[i++] = from[n % 10];
	text[i] = 0;
	return strtol(text, NULL, 10) + (long)strlen(text);
}
int main(int argc, char **argv)
{
	int sum = race();
	long l = parse(argc > 1 ? argv[1] : "0123456789", 987654321);
	if (l < 100)
		puts("small");
	if (sum != 6000)
		abort();
	return 0;
}
P
rethread cc -O1 -g -pthread p.c -o p
status 134 rethread record --until-failure --runs 5000 -q ./p
rethread reproduce --engine solve --budget 40 >out 2>&1 || fail "not inferred: $(cat out)"
has out 'reproduced and proven by replay'
rethread replay -n 20 >out
has out '^reproduced 20/20$'
