# System calls for which the C library has functions: memory that the program maps itself lies where it lay, so the addresses in it that race are known.
cat >mapped.c <<'P'
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
struct block {
	struct block *next;
	long uses;
};
static struct block *volatile first;
static void *use(void *arg)
{
	for (int i = 0; i < 20; i++) {
		struct block *b = first;
		sched_yield();
		first = b->next;
		b->uses++;
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];
	struct block *all = (void *)syscall(SYS_mmap, NULL, (size_t)1 << 22, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	assert(all != MAP_FAILED);
	assert((uintptr_t)all >> 20 && !syscall(SYS_mprotect, all, (size_t)1 << 22, PROT_READ | PROT_WRITE));
	assert(!syscall(SYS_madvise, all, (size_t)1 << 22, MADV_NORMAL));
	for (int i = 0; i < 40; i++)
		all[i].next = &all[(i + 1) % 40];
	first = all;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (((uintptr_t)all >> 12) % 7 < 7) /* a number made of the address */
		syscall(SYS_write, 1, "mapped\n", 7L);
	for (int i = 0; i < 40; i++)
		assert(all[i].uses == 1);
	return (int)syscall(SYS_munmap, all, (size_t)1 << 22);
}
P
rethread cc -O2 -g -pthread -o mapped mapped.c
status 134 rethread record --until-failure --runs 200 ./mapped 2>err >recorded
! grep 'from outside' err || fail "$(cat err)"
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 5/5$'
