# Engines are processes: what takes too much time or memory, crashes, or is interrupted, leaves nothing behind.
# The program's failure is hard to infer: thousands of comparisons of counters that race.
cat >hard.c <<'P'
#include <pthread.h>
#include <stdlib.h>

struct account { pthread_mutex_t lock; long sum; struct account *best; };
static struct account all[5];

static void *run(void *p)
{
	for (int i = 0; i < 60000; i++) {
		struct account *x = &all[i % 5];
		pthread_mutex_lock(&x->lock);
		x->sum++;
		pthread_mutex_unlock(&x->lock);
		struct account *b = all[0].best; /* bug: not under the lock */
		if (b->sum < x->sum)
			all[0].best = x;
		else
			all[0].best->sum += 0;
	}
	return p;
}

int main(void)
{
	pthread_t t[3];
	long sum = 0;
	for (int i = 0; i < 5; i++)
		pthread_mutex_init(&all[i].lock, NULL);
	all[0].best = all;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 5; i++)
		sum += all[i].sum;
	if (sum != 180000)
		abort();
	return 0;
}
P
rethread cc -O0 -g -pthread -o hard hard.c
rethread record -q --until-failure --runs 500 ./hard || true
rethread info | grep -q SIGABRT || { echo "NOTE: the failure did not come"; exit 0; }

nothing_left() { # no files, no processes
	same "$(ls "$TMPDIR")" ""
	local p
	for p in /proc/[0-9]*; do
		case $(readlink "$p/exe") in "$PWD"/*) fail "still there: $p" ;; esac
	done
}

status() { local s=0; "$@" >out 2>&1 || s=$?; echo $s; }

# Time: the clock is looked at from outside, too.
same "$(status timeout 60 rethread reproduce --engine solve --budget 0.3)" 3
has out 'budget'
nothing_left

# Memory.
same "$(status rethread reproduce --engine solve --memory 3M)" 3
has out 'engine solve takes [0-9]+ MB, and the budget is 3 MB; --memory gives more'
nothing_left
same "$(status rethread reproduce --memory 3X)" 2
has out '--memory takes a size'

# A crash: the other engine goes on.
rethread reproduce --budget 8 >out 2>&1 & tool=$!
sleep 1
kill -SEGV $(cut -d " " -f 1 /proc/$tool/task/$tool/children)
wait $tool || true
has out 'engine solve crashed' 'going on with engine search'
nothing_left

# An interruption.
rethread reproduce --engine solve --budget 60 >out 2>&1 & tool=$!
sleep 1
kill -TERM $tool
s=0; wait $tool || s=$?
same "$s" 143
nothing_left
