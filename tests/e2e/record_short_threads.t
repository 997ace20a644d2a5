# Very many threads that each have many values, and end soon: after a while the log has only the first values of each. One that has them
# more slowly keeps all of them.
cat >short.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { CELLS = 16, THREADS = 500, VALUES = 40000, SLOW = 3000 };
static volatile unsigned cells[CELLS], next;

static void *stir(void *p)
{
	for (unsigned i = 0; i < VALUES; i++)
		cells[next % CELLS] = next = next * 5 + 1;
	return p;
}

static void *stir_slowly(void *p)
{
	for (unsigned i = 0; i < SLOW; i++) {
		cells[next % CELLS] = next = next * 5 + 1;
		if (i % 100 == 0)
			usleep(1000);
	}
	return p;
}

int main(void)
{
	pthread_t t;
	for (int i = 0; i <= THREADS; i++) {
		pthread_create(&t, NULL, i < THREADS ? stir : stir_slowly, NULL);
		pthread_join(t, NULL);
	}
	printf("%u\n", cells[3]);
	return 0;
}
P
rethread cc -O2 -g -pthread -o short short.c
rethread record -q -o all --all-values ./short >out.all
rethread record -q -o some ./short >out.some
same "$(cat out.some)" "$(cat out.all)"
for t in all some; do
	rethread dump --no-lines --json $t | python3 -c '
import json, sys
print(*[t["values"] for t in json.load(sys.stdin)["threads"]][1:])' >$t.values
done
python3 - <<'P'
all, some = (list(map(int, open(f + ".values").read().split())) for f in ("all", "some"))
assert all == [40000] * 500 + [3000], all
assert some[0] == 40000 and some[-1] == 3000, (some[0], some[-1])
# One or the other was slow because others had the processor.
assert sum(some) < sum(all) / 2, sum(some)
P
rethread info some | grep -q '^values *too many to record them all'
