# What is no function of the C library is not defined by the runtime either: `configure` looks for the library that has it, by linking
# without. libuuid then asks the kernel through functions that are inputs: its numbers come again in a replay.
cat >p.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void uuid_generate(unsigned char *), uuid_unparse_lower(const unsigned char *, char *);
static char last[40];
static int n;
static void *draw(void *a)
{
	unsigned char u[16];
	char text[37];
	for (int i = 0; i < 20; i++) {
		uuid_generate(u);
		uuid_unparse_lower(u, text);
		int k = n;
		sched_yield();
		strcpy(last, text);
		n = k + 1;
	}
	return a;
}
int main(void)
{
	pthread_t a, b;
	unsigned char u[16];
	char first[37];
	uuid_generate(u);
	uuid_unparse_lower(u, first);
	pthread_create(&a, NULL, draw, NULL);
	pthread_create(&b, NULL, draw, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%s\n", first);
	fflush(stdout);
	if (n != 40)
		abort();
	return 0;
}
P
! rethread cc -O2 -g p.c -o p 2>err || fail "linked without libuuid"
has err 'uuid_generate'
rethread cc -O2 -g p.c -o p -l:libuuid.so.1
rethread record --until-failure --runs 500 ./p >recorded 2>err && fail "no failure"
! grep 'from outside' err || fail "$(cat err)"
rethread reproduce >out
rethread replay -n 5 >out
has out '^reproduced 5/5$'
rethread replay >out 2>&1 || true
has out "$(tail -n 1 recorded)"
