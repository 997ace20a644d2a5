# The line that fails reads several things that race. All of them are told of, not only the one that the last condition is about.
cat >session.c <<'P2'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static struct session { int number; int *beats; } session;
static void *timer(void *p)
{
	usleep(100000);
	struct session *s = p;
	s->beats[s->number % 4]++; /* it may be over */
	return p;
}
int main(void)
{
	pthread_t t;
	session.beats = calloc(4, sizeof *session.beats);
	pthread_create(&t, NULL, timer, &session);
	session.number = 3;
	int *beats = session.beats;
	session.beats = NULL;
	free(beats);
	pthread_join(t, NULL);
}
P2
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread session.c -o session
	status 139 rethread record -q --until-failure --runs 100 ./session 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread explain >out
	tr -s ' \n' ' ' <out >text
	has text 'thread 1:1 read session.beats: it found NULL session.c:9 s->beats\[s->number % 4\]\+\+; /\* it may be over \*/ which thread 1 had written in main session.c:19 session.beats = NULL;'
done

# The optimiser makes variables of their own of the members: they are called by what they were.
cat >split.c <<'P2'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static struct session { int number; int *beats; struct { long a, b; } pair; double level; } session;
static void *timer(void *p)
{
	usleep(100000);
	session.pair.b += 2;
	session.level += 1;
	session.beats[session.number & 3]++; /* it may be over */
	return p;
}
int main(void)
{
	pthread_t t;
	session.beats = calloc(4, sizeof *session.beats);
	pthread_create(&t, NULL, timer, NULL);
	session.number = getpid();
	session.pair.b++;
	session.level = 3;
	int *beats = session.beats;
	session.beats = NULL;
	free(beats);
	pthread_join(t, NULL);
	return session.pair.b + (int)session.level < 0;
}
P2
rethread cc -O2 -g -pthread split.c -o split
status 139 rethread record -q --until-failure --runs 100 ./split 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "split: $(cat out)"
rethread explain >out
has out 'thread 1:1 read session.beats:'
has out 'split.c:19 +writes session.pair.b = '
has out 'split.c:20 +writes session.level = 3.0'

# Engine search: what the thread read last from others is told, not a number of its own that it only shows.
cat >gauge.c <<'P2'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
static struct gauge { volatile int low, reads; } gauges[2];
static void *reader(void *p)
{
	struct gauge *g = p;
	for (;;) {
		int low = g->low;
		g->reads++;
		if (low > 50) {
			fprintf(stderr, "%d reads\n", g->reads);
			abort();
		}
		sched_yield();
	}
}
int main(int argc, char **argv)
{
	pthread_t t;
	__asm__ goto("" : : : : begins); /* the executor cannot follow: the trail is all there is */
begins:
	pthread_create(&t, NULL, reader, &gauges[argc]);
	for (int i = 0; argv && i < 100; i++) {
		gauges[argc].low = i;
		sched_yield();
	}
	pthread_join(t, NULL);
	return gauges[argc].reads;
}
P2
rethread cc -O1 -g -pthread gauge.c -o gauge
status 134 rethread record -q --until-failure --runs 100 ./gauge 2>err
rethread reproduce --engine search --budget 60 >out 2>&1 || fail "gauge: $(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >text
has text 'What the failing thread read last: thread 1:1 read gauges\[1\].low: it found [0-9]+ gauge.c:10 .*which thread 1 had written in main gauge.c:26 '

# What nobody had written yet when the run ended is told of as well, where there is nothing else to tell.
cat >worker.c <<'P'
#include <pthread.h>
#include <stdlib.h>
static struct { int slot; } workers[2];
static void *runs(void *p)
{
	if (workers[1].slot == 0)
		abort();
	return p;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, runs, argv);
	if (argc > 1)
		workers[1].slot = argc;
	pthread_join(t, NULL);
}
P
rethread cc -O1 -g -pthread worker.c -o worker
status 134 rethread record -q ./worker 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1:1 found workers\[1\].slot = 0 \(worker.c:6\), which nobody is known to have written before\.' 'read workers\[1\].slot: it found 0 '
