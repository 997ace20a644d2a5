# What a pointer leads to that a global structure begins with has the names of its type, also characters, of which the optimiser does not know what they belong to.
cat >store.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct slot {
	int version;
	char key[12];
};
static struct {
	struct slot *slots;
	unsigned long n;
} db;
static void *mark(void *arg)
{
	for (int i = 0; i < 20; i++)
		db.slots[1].key[2]++; /* counts */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	(void)argv;
	db.slots = calloc(db.n = 3 + argc, sizeof *db.slots);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, mark, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(db.slots[1].key[2] == 40);
	return 0;
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread store.c -o store
	rm -rf t
	status 134 rethread hunt -q -o t ./store 2>err
	rethread reproduce --budget 30 t >out 2>&1 || fail "$(cat out)"
	rethread explain t >out
	sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
	has short 'In short: thread 1:[12] overwrote \(store.c:15\) what thread 1:[12] had written to slot\[1\]\.key\[2\] \(store.c:15\)'
done
