# How large a block of the heap is, beyond what was asked for, is an input: a program that uses all of it takes the same path and is
# replayed without writing outside of its blocks.
cat >prog.c <<'E'
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int racy;
static volatile size_t sum;
static char *list[64];
static void *work(void *p)
{
	for (size_t i = 0; i < 20; i++, usleep(1))
		racy = racy + 1;
	return p;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 64; i++) {
		size_t asked = (size_t)i * (i == 60 ? 5000 : 3);
		char *block = i % 3 ? malloc(asked) : calloc(1, asked);
		if (i % 5 == 0)
			block = realloc(block, asked + 1);
		size_t room = malloc_usable_size(block);
		assert(room >= asked);
		memset(block, i, room);
		for (size_t k = 0; k < room - asked; k++)
			sum += 3;
		list[i] = block;
		if (i % 4 == 0) {
			free(list[i / 2]);
			list[i / 2] = NULL;
		}
	}
	for (int i = 0; i < 64; i++)
		for (size_t k = 0; list[i] && k < malloc_usable_size(list[i]); k++)
			assert(list[i][k] == i);
	for (int i = 0; i < 64; i++)
		free(list[i]);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%zu\n", sum);
	fflush(stdout);
	abort();
}
E
rethread cc -O2 -g -pthread -o prog prog.c
status 134 rethread record -- ./prog >recorded 2>err
! grep -q 'malloc_usable_size' err
rethread infer --budget 60 >out 2>&1 || fail "$(cat out)"
rethread reproduce --budget 60 >out 2>&1 || fail "$(cat out)"
rethread replay >replayed 2>&1 || fail "$(cat replayed)"
grep -qxF "$(cat recorded)" replayed || fail "$(cat recorded) became $(cat replayed)"
rethread replay -n 20 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 20/20$'
# The recorder in the twin hears the C library itself.
status 134 rethread record --scheme rw -- ./prog >recorded 2>err
rethread reproduce --budget 60 >out 2>&1 || fail "rw: $(cat out)"

# Where blocks lie as they did, because something is read that nobody has written since the memory was another block's, they have what is theirs, and no more.
cat >left.c <<'E'
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 48, SIZE = 20 };
static char *list[N];
static long sum;
static volatile int racy;
static void *work(void *p)
{
	for (int i = 0; i < 2000; i++) {
		int was = racy;
		if (i % 100 == 0)
			sched_yield();
		racy = was + 1; /* bug: both do */
		list[i % N][5]++;
	}
	return p;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < N; i++) {
		list[i] = malloc(SIZE);
		memset(list[i], i, malloc_usable_size(list[i]));
	}
	for (int i = N; i-- > 0;) {
		free(list[i]);
		list[i] = malloc(SIZE);
		sum += list[i][SIZE - 1]; /* what was left there */
		list[i][0] = (char)i;
	}
	for (int i = 1; i < N; i += 3) {
		list[i] = realloc(list[i], 3 * SIZE);
		memset(list[i] + SIZE + 4, i, malloc_usable_size(list[i]) - SIZE - 4);
	}
	for (int i = 0; i < N; i++) {
		if (list[i][0] != i || (i % 3 && list[i][SIZE + 3] != i))
			puts("another one's");
		sum += list[i][0];
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < N; i++)
		free(list[i]);
	assert(racy == 4000 || sum < 0);
	return 0;
}
E
rethread cc -O2 -g -pthread -o left left.c
status 134 rethread record --until-failure --runs 3000 -q ./left
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
has out 'reproduced and proven by replay'
rethread replay -n 10 >out 2>&1 || fail "$(cat out)"
