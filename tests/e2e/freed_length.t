# Texts that are counted without a lock, and so given back too early: a length that is read there is what the allocator left, and malloc has no memory for so much. That it had none says
# which values the lengths had.
cat >texts.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct text {
	int references;
	size_t length;
	char content[];
};
static struct text *texts[4];
static pthread_mutex_t locks[4];
static _Thread_local unsigned taken;
static struct text *make(const char *content)
{
	size_t n = strlen(content);
	struct text *t = malloc(sizeof *t + n + 1);
	t->references = 1;
	t->length = n;
	memcpy(t->content, content, n + 1);
	return t;
}
static struct text *join(struct text *a, struct text *b)
{
	struct text *t = malloc(sizeof *t + a->length + b->length + 1); t->references = 1; t->length = a->length + b->length; memcpy(t->content, a->content, a->length); memcpy(t->content + a->length, b->content, b->length + 1); /* in one line: that it failed there does not say at which access */
	return t;
}
static struct text *take(struct text *t)
{
	int n = t->references; /* bug: others count as well, under another lock or none */
	if (++taken % 5 == 0)
		sched_yield();
	t->references = n + 1;
	return t;
}
static void drop(struct text *t)
{
	if (--t->references == 0)
		free(t);
}
static struct text *borrow(int i)
{
	pthread_mutex_lock(&locks[i]);
	struct text *t = take(texts[i]);
	pthread_mutex_unlock(&locks[i]);
	return t;
}
static void replace(int i, struct text *by)
{
	pthread_mutex_lock(&locks[i]);
	struct text *before = texts[i];
	texts[i] = by;
	pthread_mutex_unlock(&locks[i]);
	drop(before);
}
static void *edits(void *number)
{
	unsigned seed = (unsigned)(size_t)number;
	for (int i = 0; i < 80; i++) {
		int a = rand_r(&seed) % 4, b = rand_r(&seed) % 4;
		struct text *p = borrow(a), *q = borrow(b), *t = join(p, q);
		if (t->length > 60) {
			drop(t);
			t = make("seed");
		}
		if (i % 5 == 0)
			replace((a + 1) % 4, t);
		else
			drop(t);
		drop(p);
		drop(q);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 4; i++) {
		pthread_mutex_init(&locks[i], NULL);
		texts[i] = make("t0");
	}
	for (size_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, edits, (void *)(i + 5));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
P
rethread cc -O2 -g -pthread texts.c -o texts
for i in $(seq 50); do
	got=0
	rethread record -q --until-failure --runs 5000 ./texts 2>err || got=$?
	[ $got != 139 ] || break
done
[ $got = 139 ] || fail "status $got: $(cat err)"
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
has out 'reproduced and proven by replay'
