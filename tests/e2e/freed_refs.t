# A thread takes its reference to a segment only when it has given up the lock, and counts in one that was freed: that overwrites what the C library keeps
# there, and the library ends the run in a later call, which the replay has to notice itself, since blocks lie elsewhere.
cat >journal.c <<'C'
/* A journal: writers append records into segments; a flusher retires full segments; a reader totals what is there. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { SEGMENT = 64, WRITERS = 3, RECORDS = 40 };
struct segment { uint16_t used; unsigned refs; struct segment *next; unsigned char data[SEGMENT]; };
static struct { pthread_rwlock_t lock; struct segment *head, *retired; unsigned long bytes; } journal = { .lock = PTHREAD_RWLOCK_INITIALIZER };
static struct segment *segment_new(void) { struct segment *s = calloc(1, sizeof *s); if (!s) abort(); s->refs = 1; return s; }
static void segment_put(struct segment *s) { if (__atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) == 0) { memset(s, 0xdd, sizeof *s); free(s); } }
static struct segment *current(void)
{
	pthread_rwlock_rdlock(&journal.lock);
	struct segment *s = journal.head;
	pthread_rwlock_unlock(&journal.lock);
	__atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
	return s;
}
static void append(const void *data, uint16_t n)
{
	for (;;) {
		struct segment *s = current();
		uint16_t at = __atomic_fetch_add(&s->used, n, __ATOMIC_RELAXED);
		if (at + n <= SEGMENT) {
			memcpy(s->data + at, data, n);
			__atomic_add_fetch(&journal.bytes, n, __ATOMIC_RELAXED);
			segment_put(s);
			return;
		}
		pthread_rwlock_wrlock(&journal.lock);
		if (journal.head == s) { journal.head = segment_new(); segment_put(s); }
		pthread_rwlock_unlock(&journal.lock);
		segment_put(s);
	}
}
static void *writer(void *arg)
{
	unsigned char record[12];
	for (int i = 0; i < RECORDS; i++) {
		memset(record, (int)(intptr_t)arg + i, sizeof record);
		append(record, (uint16_t)(4 + i % 9));
	}
	return NULL;
}
int main(void)
{
	pthread_t t[WRITERS];
	journal.head = segment_new();
	for (long i = 0; i < WRITERS; i++) pthread_create(&t[i], NULL, writer, (void *)i);
	for (int i = 0; i < WRITERS; i++) pthread_join(t[i], NULL);
	printf("%lu bytes\n", journal.bytes);
	segment_put(journal.head);
	return 0;
}
C
rethread cc -O2 -g -pthread -o journal journal.c
solved=0
for i in 1 2 3 4 5 6; do
	{ rethread record --until-failure --runs 5000 --timeout 20 ./journal >/dev/null 2>err; } 2>/dev/null || true
	rethread reproduce --engine solve --budget 30 >out 2>&1 || { cat out; continue; }
	rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
	has out '^reproduced 5/5$'
	rethread explain >out
	tr -s ' \n' ' ' <out >line
	grep -q 'updated segment[#0-9]*.refs (journal.c:[0-9]*) after thread 1:[123] had freed it' line && solved=$((solved + 1))
done
[ $solved -ge 3 ] || fail "$solved of 6 recordings inferred and explained: $(cat line)"
