# Instrumented code counts on its general registers when a tray is full, whatever that leads to: a run of foretold words, a
# new chunk, a time stamp, a handler that has waited for this place; a thread without a log.
[ "$(uname -m)" = x86_64 ] || exit 0
program p <<'E'
#include "recorded.h"
#include <sys/time.h>
static volatile long calls;
static void tick(int sig)
{
	for (int i = 0; B(i < sig * 5);)
		i++;
	calls++;
}
/* How many registers do not hold what they did: all of those that C has no use for after a call, but r11. */
static long changed(void (*complete)(void))
{
	uint64_t a = 1, c = 2, d = 3, s = 4, t = (uintptr_t)complete;
	register uint64_t r8 __asm__("r8") = 5, r9 __asm__("r9") = 6, r10 __asm__("r10") = 7;
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tmov %%rsp, %%r12\n\tand $-16, %%rsp\n\tcall *%%rdi\n\tmov %%r12, %%rsp\n\t"
			 "lea 128(%%rsp), %%rsp"
			 : "+a"(a), "+c"(c), "+d"(d), "+S"(s), "+D"(t), "+r"(r8), "+r"(r9), "+r"(r10) :
			 : "r11", "r12", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
	return (a != 1) + (c != 2) + (d != 3) + (s != 4) + (t != (uintptr_t)complete) + (r8 != 5) + (r9 != 6) + (r10 != 7);
}
int main(void)
{
	struct itimerval often = {{0, 500}, {0, 500}};
	uint64_t x = 1;
	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; i < 200000 || (calls < 100 && i < 100000000); i++) {
		for (int k = 0; k < 100; k++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			*__rethread_path++ = i % 1024 < 64 && x >> 63;
		}
		if (changed((void (*)(void))(i & 1 ? __rethread_path_full : __rethread_path_room)))
			return 1;
	}
	return calls < 100 ? 2 : 0;
}
E
status 0 ./p
record 0 ./p
dump
has dump '^failure none' '^times 1 '
