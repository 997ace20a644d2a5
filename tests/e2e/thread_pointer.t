# Programs that read the thread pointer themselves (allocators, to know whose block it is) are decoded, inferred and replayed, by whichever way they read it.
cat >pointers.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
static uintptr_t by_slot(void) { uintptr_t r; __asm__("movq %%fs:%1, %0" : "=r"(r) : "m"(*(void **)0)); return r; }
static uintptr_t by_third(void) { uintptr_t r; __asm__("movq %%fs:%1, %0" : "=r"(r) : "m"(*(void **)16)); return r; }
static uintptr_t by_text(void) { uintptr_t r; __asm__("mov %%fs:0,%0" : "=r"(r)); return r; }
static uintptr_t by_number(void) { uintptr_t r; __asm__ volatile("movq %%fs:0x10, %0;" : "=r"(r)); return r; }
static uintptr_t by_builtin(void) { return (uintptr_t)__builtin_thread_pointer(); }
static uintptr_t by_space(void) { return *(uintptr_t __seg_fs *)0; }
static uintptr_t (*const ways[])(void) = {by_slot, by_third, by_text, by_number, by_builtin, by_space};
enum { WAYS = sizeof ways / sizeof *ways };
static volatile uintptr_t owner;
static __thread long kept, stolen, odd;
static void *work(void *way)
{
	uintptr_t (*me)(void) = ways[(intptr_t)way];
	assert(me() == (uintptr_t)pthread_self());
	for (int i = 0; i < 20; i++) {
		owner = me();
		if (owner == me())
			kept++;
		else
			stolen++;
#ifdef __OPTIMIZE__ /* else the identity goes through memory before it is a number */
		odd += by_builtin() >> 12 & 1 ? stolen : kept;
#endif
	}
	return (void *)odd;
}
int main(void)
{
	pthread_t t[WAYS];
	for (intptr_t i = 0; i < WAYS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < WAYS; i++)
		pthread_join(t[i], NULL);
	abort();
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread -o pointers pointers.c
	rethread record -q ./pointers || true
	rethread dump >out 2>err || fail "$(cat err)"
	! grep 'paths are bits' err || fail "$opt: not decoded"
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread replay -n 5 >out 2>&1 || fail "$opt: $(cat out)"
	has out '^reproduced 5/5$'
done
