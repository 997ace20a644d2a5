# The main thread works for long before there are other threads, and when they are over goes round for ever in a list that a race of theirs has left. That it
# was alone at first, too, is no sign that it went round then.
cat >later.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECES = 40, PREPARED = 6000 };

struct piece { struct piece *next; };
static struct piece pieces[PIECES], *volatile first;
static int left[PREPARED]; /* the threads write to it as well: what it decides is recorded */

static void *put(void *arg)
{
	for (struct piece *p = arg; p < (struct piece *)arg + PIECES / 2; p++) {
		p->next = first;
		left[(p - pieces) * 3]++;
		sched_yield();
		first = p;
	}
	return NULL;
}

int main(int argc, char **argv __attribute__((unused)))
{
	pthread_t t[2];
	int found = 0;
	for (int i = 0; i < PREPARED; i++) {
		left[i] = (i * 7919 + argc) % 13;
		for (int k = left[i / 3]; k > 5; k -= 2)
			left[i / 2] ^= k;
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, put, &pieces[i * PIECES / 2]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (struct piece *p = first; p; p = p->next)
		found++;
	if (found < PIECES && found % 2) /* only then, so that it is no accident that a replay does the same */
		for (struct piece *p = first; found < 2 * PIECES; p = p->next ? p->next : first)
			found += p == NULL;
	return found == 12345 && left[argc];
}
P
rethread cc -O1 -g -pthread later.c -o later
status 124 rethread record -q --until-failure --runs 300 --timeout 2 ./later
rethread dump --no-lines >out 2>&1 || fail "$(cat out)"
branches=$(sed -n 's/^thread 1: \([0-9]*\) branches.*/\1/p' out)
[ "$branches" -gt 20000000 ] || fail "it did not go round for long: $branches"
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 5/5$'
