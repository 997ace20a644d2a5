# Bit-fields that two threads write under a lock each, and that share a word: explain says which they are, and what each of them is. A bit-field that has its bytes for itself is called
# by its name alone.
cat >card.c <<'P'
#include <pthread.h>
#include <stdlib.h>
static struct card {
	unsigned kind : 24, ready : 1;
	pthread_mutex_t in, out;
	unsigned short sent : 12, sending : 1, : 0;
	unsigned short got : 10, full : 1, seen : 5;
	unsigned long all;
} card = {7, 1, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 0, 0, 0};
static int checks;
static void *gets(void *x)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&card.in);
		card.got++;
		pthread_mutex_unlock(&card.in);
	}
	return x;
}
static void *sees(void *x)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&card.out);
		card.seen++;
		pthread_mutex_unlock(&card.out);
	}
	return x;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, gets, NULL);
	pthread_create(&t[1], NULL, sees, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	checks = card.kind;
	if (card.got != 1000 || card.seen != 1000 % 32 || checks != 7)
		abort();
	return card.all != 0;
}
P
rethread cc -O1 -g -pthread card.c -o card
status 134 rethread record -q --until-failure --runs 3000 ./card 2>err
rethread reproduce --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain --all >out
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1:[12] overwrote \(card.c:[0-9]+\) what thread 1:[12] had written to card\.\{got, full, seen\} \(card.c:[0-9]+\) without having seen it.*; the locks that they have are different ones\.' \
	'reads card\.\{got, full, seen\} = \{[0-9]+, 0, [0-9]+\}'
