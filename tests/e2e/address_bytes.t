# Structures with pointers in them are hashed and compared byte by byte. Where inference finds that it goes another way than the recorded run did,
# blocks lie where they lay, as for other numbers that are made of addresses.
cat >bytes.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct key { void *p; int id, pad; };
struct entry { struct key k; struct entry *next; };
static volatile long loose;
__attribute__((noinline)) static unsigned hash(const void *key, size_t n)
{
	const unsigned char *c = key;
	unsigned h = 2166136261u;
	for (size_t i = 0; i < n; i++)
		if (i % 8 < 3) /* above these it is not known where memory lay */
			h = (h ^ c[i]) * 16777619u;
	return h;
}
static void *work(void *arg)
{
	struct entry *table[8] = {0};
	void *objects[6];
	for (int i = 0; i < 6; i++)
		objects[i] = malloc(40);
	for (int i = 0; i < 30; i++) {
		struct key k = {objects[i % 6], i % 3, 0};
		unsigned h = hash(&k, sizeof k) % 8;
		struct entry *e = table[h];
		while (e && memcmp(&e->k, &k, sizeof k)) {
			loose = loose + 1;
			e = e->next;
		}
		if (!e) {
			e = malloc(sizeof *e);
			*e = (struct entry){k, table[h]};
			table[h] = e;
		}
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	abort();
}
P
ENGINE=solve proven bytes.c
# Numbers in unions may be the bits of pointers that were stored by way of a structure: what is made of such bits is recorded.
cat >union.c <<'P'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
struct pair { void *a, *b; };
union value { struct pair p; uint64_t n[2]; };
static volatile long loose;
__attribute__((noinline)) static void fill(struct pair *p, void *a, void *b)
{
	p->a = a;
	p->b = b;
}
static void *work(void *arg)
{
	union value *v = malloc(8 * sizeof *v);
	for (int i = 0; i < 8; i++) {
		fill(&v[i].p, malloc(24), malloc(48));
		if (((v[i].n[0] >> 4) ^ (v[i].n[1] >> 5)) & 1)
			loose = loose + 1;
	}
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	return pthread_join(t, NULL);
}
P
rethread cc -O1 -g -pthread union.c -o union
rethread analyze --why union >out
has out 'recorded: where something lies in memory'
