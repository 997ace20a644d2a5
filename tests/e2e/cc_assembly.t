# Atomic updates in inline assembly are accesses like any other: they are seen, recorded, inferred and replayed. Assembly that is
# not understood stays what it is.
cat >prog.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int n, spin, order, exact, sum, seen[2];
static unsigned char byte, flipped;
static long held, wide = 0xffffffff;
static volatile int lost;
static int swaps(volatile int *p, int old, int new)
{
	int out;
	__asm__ __volatile__("lock; cmpxchg %2, %1;" : "=a"(out), "+m"(*p) : "r"(new), "0"(old) : "memory");
	return out;
}
static int add(volatile int *p, int v)
{
	__asm__ __volatile__("lock; xaddl %0,%1" : "+r"(v), "+m"(*p) : : "memory");
	return v;
}
/* The register tells the size, not what the header calls the memory (ittnotify, in oneTBB). */
static long add_long(volatile void *p, long v)
{
	long was;
	__asm__ __volatile__("lock\nxadd %0,%1" : "=r"(was), "=m"(*(volatile int *)p) : "0"(v), "m"(*(volatile int *)p) : "memory");
	return was;
}
static unsigned char exchange(volatile unsigned char *p, unsigned char v)
{
	__asm__ __volatile__("xchgb %0,%1" : "=q"(v) : "m"(*p), "0"(v) : "memory");
	return v;
}
/* Headers for atomics name the place as a structure, as liburcu's does. */
struct as_a_whole { char bytes[8]; };
static long whole(void *p, long v)
{
	long old;
	__asm__ __volatile__("xchgq %0, %1" : "=r"(old), "+m"(*(struct as_a_whole *)p) : "0"(v) : "memory");
	return old;
}
static void inc(int *p) { __asm__ __volatile__("lock; incl %0" : "+m"(*p)); }
static void flip(unsigned char *p) { __asm__ __volatile__("lock; notb %0" : "+m"(*p) : : "memory"); }
static void dec(int *p) { __asm__ __volatile__("lock\n\tdecl %0" : "=m"(*p) : "m"(*p)); }
static void minus(int *p, int v) { __asm__ __volatile__("lock; subl %1,%0" : "+m"(*p) : "ir"(v)); }
static int swapped(int x) { __asm__("bswap %0" : "+r"(x)); return x; }
static void *work(void *a)
{
	for (int i = 0; i < 20; i++) {
		while (swaps(&spin, 0, 1))
			;
		exact++;
		swaps(&spin, 1, 0);
		seen[add(&order, 2) % 2]++;
		while (exchange(&byte, 1))
			;
		exact++;
		exchange(&byte, 0);
		while (whole(&held, 1))
			;
		exact++;
		whole(&held, 0);
		inc(&n);
		inc(&n);
		dec(&n);
		minus(&sum, 3);
		add_long(&wide, 1);
	}
	flip(&flipped);
	flip(&flipped);
	flip(&flipped);
	int before = lost;
	usleep(100000);
	lost = before + 1;
	return a;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (exact != 120 || order != 80 || n != 40 || sum != -120 || wide != 0x100000027 || flipped || (argc > 1 && swapped(argc) != argc << 24))
		return 1;
	assert(argc > 1 || lost == 2);
	return argv[0] == NULL;
}
P
rethread cc -O2 -g -pthread prog.c -o prog
./prog once
rethread analyze ./prog >out
has out 'shared access points: .* 15 atomic'
status 134 rethread record --until-failure --runs 20 -o trace ./prog 2>err
rethread reproduce --engine solve trace >out 2>err
rethread replay -n 5 trace >out
has out 'reproduced 5/5'

# So are moves from and to memory, cmpxchg that says whether it succeeded, by `setz` or by a flag, xchg with the memory first, and
# pointers behind operands that are called bytes: Concurrency Kit's.
cat >moves.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
struct node { struct node *next; };
static struct node nodes[2][10], *head;
static unsigned lock, broken, counted, lost;
static unsigned load(const unsigned *p)
{
	unsigned v;
	__asm__ __volatile__("movl %1, %0" : "=q"(v) : "m"(*p) : "memory");
	return v;
}
static void *load_pointer(const void *p)
{
	void *v;
	__asm__ __volatile__("movq %1, %0" : "=q"(v) : "m"(*(const char *)p) : "memory");
	return v;
}
static void store(unsigned *p, unsigned v) { __asm__ __volatile__("movl %1, %0" : "=m"(*p) : "iq"(v) : "memory"); }
static unsigned exchange(unsigned *p, unsigned v)
{
	__asm__ __volatile__("xchgl %0, %1" : "+m"(*p), "+q"(v) : : "memory");
	return v;
}
static bool swap_set(unsigned *p, unsigned old, unsigned new)
{
	bool z;
	__asm__ __volatile__("lock cmpxchgl %3, %0; setz %1" : "+m"(*p), "=q"(z), "+a"(old) : "q"(new) : "memory", "cc");
	return z;
}
static bool swap_pointer(void *p, void *old, void *new, void *found)
{
	bool z;
	__asm__ __volatile__("lock cmpxchgq %3, %0;" : "+m"(*(char *)p), "=@ccz"(z), "+a"(old) : "q"(new) : "memory", "cc");
	*(void **)found = old;
	return z;
}
static void *work(void *mine)
{
	struct node *n = mine;
	for (int i = 0; i < 10; i++) {
		struct node *first = load_pointer(&head);
		do
			n[i].next = first;
		while (!swap_pointer(&head, first, &n[i], &first));
		while (exchange(&lock, 1))
			;
		counted++;
		store(&lock, 0);
		for (unsigned v = load(&lost); !swap_set(&lost, v, v + 1); v = load(&lost))
			;
	}
	while (load(&broken))
		;
	store(&broken, 1);
	counted++;
	store(&broken, 0);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	int n = 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, nodes[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (struct node *p = head; p; p = p->next)
		n++;
	if (n != 20 || lost != 20 || swap_set(&lock, 1, 2) || !swap_set(&lock, 0, 2) || lock != 2)
		return 1;
	assert(counted != 22);
}
P
rethread cc -O2 -g -pthread moves.c -o moves
rethread analyze ./moves >out
has out 'shared access points: .* 1[0-9] atomic'
! grep ' asm' out || fail "assembly that is not understood"
status 134 rethread record --until-failure --runs 200 -o moved ./moves 2>err
rethread reproduce --engine solve moved >out 2>err
rethread replay -n 5 moved >out
has out 'reproduced 5/5'

# What an update leaves in the flags: stored by `set`, spread by `sbb`, or an output; and single bits, by a constant, or by a
# register, which may name one of a later word (reference counts and bit sets of Linux and HAProxy).
cat >flags.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int references = 41, debt = 40;
static unsigned sums = 0xfffffff0;
static unsigned long taken[2], parity;
static volatile int lost;
static unsigned char drop(int *p)
{
	unsigned char zero;
	__asm__ __volatile__("lock; decl %0\n\tsete %1" : "+m"(*p), "=qm"(zero) : : "memory", "cc");
	return zero;
}
static int below(int *p, int v)
{
	unsigned char negative;
	__asm__ __volatile__("lock subl %2,%0; sets %1" : "+m"(*p), "=q"(negative) : "ir"(v) : "memory");
	return negative;
}
static int wraps(unsigned *p, unsigned v)
{
	int carry;
	__asm__ __volatile__("lock; addl %2, %0" : "+m"(*p), "=@ccc"(carry) : "r"(v) : "memory");
	return carry;
}
static long take(unsigned long *p, unsigned long bit)
{
	long old;
	__asm__ __volatile__("lock btsq %2, %0\n\tsbb %1, %1\n\t" : "+m"(*p), "=r"(old) : "Ir"(bit) : "memory", "cc");
	return old;
}
static int give(unsigned long *p, unsigned long bit)
{
	unsigned char free;
	__asm__ __volatile__("lock btrq %2, %0" : "+m"(*p), "=@ccnc"(free) : "Ir"(bit) : "memory");
	return free;
}
static void toggles(unsigned long *p) { __asm__ __volatile__("lock; btcq %1, %0" : "+m"(*p) : "Ir"(5ul) : "memory"); }
/* Letters that name a part of a register, as Linux' headers and PostgreSQL's do, and lines of their own. */
static unsigned char held;
static unsigned char exchange(unsigned char *p, unsigned char v)
{
	__asm__ __volatile__("xchgb %b0, %1" : "=q"(v), "+m"(*p) : "0"(v) : "memory");
	return v;
}
static unsigned long add(unsigned long *p, unsigned long v)
{
	__asm__ __volatile__("	lock			\n	xadd	%q0,%1	\n" : "+r"(v), "+m"(*p) : : "memory", "cc");
	return v;
}
static unsigned long guarded, added;
static int last, negative, wrapped, won, given;
static void *work(void *a)
{
	for (unsigned i = 0; i < 20; i++) {
		__atomic_fetch_add(&last, drop(&references), 5);
		__atomic_fetch_add(&negative, below(&debt, 2), 5);
		__atomic_fetch_add(&wrapped, wraps(&sums, 1), 5);
		__atomic_fetch_sub(&won, take(taken, i * 6) + 1, 5);
		toggles(&parity);
		while (exchange(&held, 1))
			;
		guarded++;
		exchange(&held, 0);
		add(&added, 3);
	}
	for (unsigned i = 0; i < 20; i++)
		__atomic_fetch_add(&given, give(taken, i * 6), 5);
	int before = lost;
	usleep(100000);
	lost = before + 1;
	return a;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	fprintf(stderr, "%d %d %d %u %d %d\n", last, negative, wrapped, sums, drop(&references), (int)(parity + taken[0] + taken[1]));
	assert(won <= -20 && given - won == 40 && guarded == 40 && added == 120);
	assert(lost == 2);
}
P
rethread cc -O2 -g -pthread flags.c -o flags
status 134 rethread record --until-failure --runs 20 -o flags.trace ./flags 2>err
has err '^0 20 1 24 1 0$'
rethread analyze ./flags >out
! grep -q 'shared access points: .* asm' out || fail "assembly that is left"
rethread reproduce --engine solve flags.trace >out 2>err || fail "$(cat out err)"
rethread replay -n 5 flags.trace >out
has out 'reproduced 5/5'
