# A structure that is copied as one is copied word by word: another thread comes in between, in replays too.
cat >torn.c <<'P'
#include <assert.h>
#include <pthread.h>
struct quote { long bid, ask, size; int day, month; char place; };
static struct quote current;
static void *publishes(void *p)
{
	for (long i = 1; i <= 20; i++) {
		struct quote q = {i, i, i, 0, (int)i, (char)i};
		current = q;
	}
	return p;
}
static void *clears(void *p)
{
	for (int i = 0; i < 20; i++)
		__builtin_memset(&current, 0, sizeof current);
	return p;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, publishes, NULL);
	pthread_create(&t[1], NULL, clears, NULL);
	for (int i = 0; i < 20; i++) {
		struct quote q = current;
		assert(q.bid == q.size);
		assert(q.month == q.place);
	}
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread -o torn torn.c
	status 134 rethread hunt --runs 500 ./torn 2>err
	rethread reproduce >out 2>&1 || fail "$opt: $(cat out)"
	rethread replay -n 20 >out 2>&1 || fail "$opt: $(cat out)"
	has out '^reproduced 20/20$'
done

# So are volatile structures, and integers of two words.
cat >wide.c <<'P2'
#include <assert.h>
#include <pthread.h>
struct pair { long a, b; };
static volatile struct pair pair;
static volatile __int128 wide;
static void *writes(void *p)
{
	for (long i = 1; i <= 20; i++) {
		struct pair new = {i, i};
		pair = new;
		wide = (__int128)i << 64 | (__int128)i;
	}
	return p;
}
int main(int argc, char **argv)
{
	(void)argv;
	pthread_t t;
	pthread_create(&t, NULL, writes, NULL);
	for (int i = 0; i < 20; i++) {
		struct pair p = pair;
		__int128 w = wide;
		assert(argc > 1 || p.a == p.b);
		assert((long)w == (long)(w >> 64));
	}
	pthread_join(t, NULL);
	return 0;
}
P2
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread -o wide wide.c
	for which in "" second; do
		status 134 rethread hunt --runs 500 ./wide $which 2>err
		rethread reproduce >out 2>&1 || fail "$opt: $(cat out)"
		rethread replay -n 20 >out 2>&1 || fail "$opt: $(cat out)"
		has out '^reproduced 20/20$'
	done
done
