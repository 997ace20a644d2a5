# A thread that has too many values goes on without what it reads very often; how it finds its work is recorded to its end.
cat >late.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { TABLE = 4096, PASSES = 12, PARTS = 10, STEPS = 8000, JOBS = 100 };
static struct job { struct job *next; int taken; } *volatile jobs;
static unsigned *table;
static pthread_barrier_t done;
static int changes, both; /* never; but nobody can tell */
static __attribute__((noinline)) unsigned chase(unsigned sum)
{
	for (int pass = 0; pass < PASSES; pass++)
		for (int part = 0; part < PARTS; part++) {
			unsigned at = sum % TABLE;
			for (int k = 0; k < STEPS; k++) {
				at = (table[at] + (unsigned)k * 2654435761u + sum) % TABLE;
				sum += at;
			}
			if (changes)
				table[part] = at;
		}
	return sum;
}
static void *work(void *sum)
{
	*(unsigned *)sum = chase(1);
	if (both)
		pthread_barrier_wait(&done);
	for (struct job *j; (j = jobs);) { /* bug: two threads can take the same */
		struct job *next = j->next;
		if (both)
			usleep(20);
		jobs = next;
		assert(!j->taken++);
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	unsigned sums[2], seed = 7;
	changes = argc > 5;
	both = argc == 1;
	pthread_barrier_init(&done, NULL, 2);
	table = malloc(TABLE * sizeof *table);
	for (int i = 0; i < TABLE; i++)
		table[i] = (unsigned)rand_r(&seed);
	for (int i = 0; i < JOBS; i++) {
		struct job *j = calloc(1, sizeof *j);
		j->next = jobs;
		jobs = j;
	}
	for (int i = 0; i < 2; i++) {
		pthread_create(&t[i], NULL, work, &sums[i]);
		if (argc > 1) /* one after the other */
			pthread_join(t[i], NULL);
	}
	for (int i = 0; i < 2 && argc < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
values() { rethread dump --no-lines --json "$1" | python3 -c '
import json, sys
print(*[t["values"] for t in json.load(sys.stdin)["threads"]])'; }
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread -o late late.c
	rm -rf one
	rethread record -q -o one ./late x
	rethread info one | grep -q 'too many to record them all'
	read -r _ first second < <(values one)
	# It ends when a tray of 512 is empty; behind that come the jobs, which only the first thread finds.
	echo "$opt: $first $second values"
	test "$first" -lt 960000
	test $((first % 512)) -ge $((second % 512 + 100))
	rethread dump one >/dev/null 2>said # the log is followed to its end
	same "$(cat said)" ""
done
rethread record -q --until-failure --runs 2000 ./late || true
rethread reproduce --engine solve >out 2>&1
has out 'reproduced and proven by replay'
rethread replay -n 5 >out
has out 'reproduced 5/5'
