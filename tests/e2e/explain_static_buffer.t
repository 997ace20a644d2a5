# A function that returns its static buffer: the other thread's call overwrites what this one still needs. It has shown nothing too early, and what the threads were given is no reason.
cat >shows.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct watch { const char *name; int value; };
static const char *show(const char *name, int value)
{
	static char buf[64];
	memset(buf, 0, sizeof buf);
	strcpy(buf, name);
	size_t n = strlen(buf);
	for (buf[n++] = '='; value; value /= 10)
		buf[n++] = (char)('0' + value % 10);
	buf[n] = 0;
	return buf;
}
static void *watches(void *p)
{
	struct watch *w = p;
	for (int i = 0; i < 100; i++) {
		const char *text = show(w->name, w->value);
		for (volatile int k = 0; k < 20; k++)
			;
		if (memcmp(text, w->name, 12))
			exit(5);
	}
	return NULL;
}
int main(void)
{
	struct watch w[2] = {{"requests-total", 512}, {"bytes-written", 99}};
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, watches, &w[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
P
rethread cc -O2 -g -pthread shows.c -o shows
for run in 1 2 3 4; do
	status 5 rethread record -q --until-failure --runs 3000 ./shows 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
	rethread explain >out
	sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
	has short 'In short: thread 1:[12] (read|wrote) buf(\[[0-9]\]|\+8)? \(shows.c:[0-9]+\); before it read it( again)? \(shows.c:[0-9]+\), thread 1:[12] changed it \(shows.c:[0-9]+\); none of them has a lock\.'
done
