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
