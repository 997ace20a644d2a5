# Which parts of a total were lost is hard to tell from the total, and need not be the same ones: where the failure is the exit status, or a
# word in the output, an interleaving that loses others fails the same way.
cat >total.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
enum { THREADS = 4, PARTS = 40 };
static volatile unsigned long total;
static unsigned long part(unsigned n) { return (n * 2654435761u >> 7) % 99991 + 1; }
static void *adds(void *arg)
{
	for (unsigned i = 0; i < PARTS; i++) {
		unsigned long had = total;
		if (i % 3 == 0)
			sched_yield();
		total = had + part((unsigned)(long)arg * PARTS + i);
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	unsigned long want = 0;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, adds, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (unsigned i = 0; i < THREADS * PARTS; i++)
		want += part(i);
	printf("%lu: %s\n", total, total == want ? "fine" : "lost");
	return argc > 1 && !strcmp(argv[1], "status") && total != want;
}
P
rethread cc -O2 -g -pthread total.c -o total
for how in status output; do
	o=()
	[ $how = status ] || o=(--fail-if 'grep -q lost')
	rethread record --until-failure --runs 2000 "${o[@]}" -- ./total $how >/dev/null 2>err || :
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "not reproduced: $(cat err out)"
	has out '(the fewest|few, not proven)' 'schedule:'
	rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
	has out '^reproduced 20/20$'
done
