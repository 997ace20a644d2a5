# A program that asks whether its variables begin a cache line, or rounds their addresses, gets the same answers in a twin.
cat >p.c <<'P'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
static unsigned char zero[100], data[7][100] = { { 1 } }, odd[72], bytes[80] = { 2 };
static uint32_t words[16] = { 3 };
static unsigned char *tables[] = { zero, data[0], odd, bytes, (unsigned char *)words };
static volatile uintptr_t line = 64;
static volatile int n, aligned, between;
static void *work(void *p)
{
	n++;
	return p;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 5; i++) {
		uintptr_t at = (uintptr_t)tables[i];
		if ((at & ~(line - 1)) == at)
			aligned++;
		for (uintptr_t k = at & ~(line - 1); k != at; k++)
			between++;
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 3;
}
P
rethread cc -O2 -g -pthread -o p p.c
status 3 rethread record -q ./p
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
