# A sequence lock whose readers forget that the number may be odd: the solver alone explains it. What a read has to find is known as soon as all is known
# that it is compared with (src/solve/wants.c).
cat >seq.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic unsigned seq;
static struct {
	_Atomic long x, y, z;
} point;
static _Atomic int done;
static void *writer(void *p)
{
	for (long i = 1; i <= 300; i++) {
		seq++;
		point.x = i;
		point.y = 2 * i;
		point.z = 3 * i;
		seq++;
		for (volatile int k = 0; k < 20; k++)
			;
	}
	done = 1;
	return p;
}
static void *reader(void *p)
{
	long x, y, z;
	unsigned s;
	while (!done) {
		do {
			s = seq;
			x = point.x;
			y = point.y;
			z = point.z;
		} while (s != seq);
		assert(x + y == z);
	}
	return p;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i == 2 ? writer : reader, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread seq.c -o seq
rethread record --until-failure --runs 5000 ./seq >out 2>&1 && fail "it does not fail: $(cat out)"
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "not reproduced: $(cat out)"
has out 'solved under' 'reproduced and proven by replay'
rethread replay -n 10 >out 2>&1 || fail "not replayed: $(cat out)"
has out '^reproduced 10/10$'
