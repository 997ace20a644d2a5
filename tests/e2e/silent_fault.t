# A thread faults behind ways of branches that append nothing (src/instrument/silent.c): what it did since its last branch that is in the log is inferred.
cat >peers.c <<'C'
/* Readers add up what pairs of records weigh; a thread takes pairs apart, and puts them together again: in between, one has no peer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { RECORDS = 64, ROUNDS = 1500 };
struct record { int kind, weight; struct record *volatile peer; };
static struct record records[RECORDS];
static long odd, heavy;
static void *reader(void *arg)
{
	long sum = 0, odds = 0, heavies = 0;
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < RECORDS; i++) {
			struct record *r = &records[i];
			if (__builtin_expect(r->weight > 100, 0))
				heavies += r->weight;
			if (__builtin_expect(r->kind == 3, 0))
				odds += i * r->weight;
			sum += r->peer->weight;
			if (__builtin_expect(sum & 1, 0))
				odds ^= sum;
		}
	__atomic_add_fetch(&odd, odds, __ATOMIC_RELAXED);
	__atomic_add_fetch(&heavy, heavies, __ATOMIC_RELAXED);
	return (void *)sum;
}
static void *changer(void *arg)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct record *r = &records[round % RECORDS], *peer = r->peer;
		if (round % 7 == 0) {
			r->peer = NULL;
			for (int k = 0; k < 100; k++)
				r->weight += r->kind ^ k;
			r->peer = peer;
		}
		r->weight ^= 2;
	}
	return NULL;
}
int main(void)
{
	for (int i = 0; i < RECORDS; i++)
		records[i] = (struct record){ i % 5, i, &records[(i + 1) % RECORDS] };
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i < 2 ? reader : changer, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%ld %ld\n", odd, heavy);
	return 0;
}
C
ENGINE=solve proven peers.c
has out 'found records\[[0-9]*\].peer = NULL'
