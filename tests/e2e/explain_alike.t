# A thread that counts does the same step again and again, and all of it leads to the failure: the first and the last are shown, --all shows every one.
cat >count.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int n;
static void *counts(void *p)
{
	for (int i = 0; i < 100; i++)
		atomic_fetch_add(&n, 1);
	return p;
}
static void *looks(void *p)
{
	if (atomic_load(&n) >= 100)
		abort();
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, counts, NULL);
	pthread_create(&b, NULL, looks, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
P
rethread cc -O1 -g -pthread count.c -o count
status 134 rethread record -q --until-failure --runs 5000 ./count 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
has out 'updates n: 0 -> 1$'
has out 'updates n: 99 -> 100$'
[ "$(grep -c 'updates n' out)" -le 4 ] || fail "$(cat out)"
rethread explain --all >out
[ "$(grep -c 'updates n' out)" = 100 ] || fail "$(cat out)"
