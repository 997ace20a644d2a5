/*
 * Variables of functions that are made when the first thread comes by: others wait for that in functions of libstdc++'s own, by
 * system calls. The executor of inference, which runs one thread at a time, would wait there forever, and no order would be in the log. Programs get
 * these here instead, as bitcode like their own code (src/cc/link.c), with a lock and a condition that are recorded. Libraries that
 * the program does not contain find them, too, so that all agree about who makes a variable. Weak: a program that brings its own keeps them.
 */
#include <pthread.h>
#include <stdatomic.h>

#define WEAK __attribute__((weak))

/* Eight bytes of the Itanium C++ ABI; of the first the compiler's code asks itself, without a call. */
struct guard {
	_Atomic unsigned char made;
	unsigned char busy;
};

int __cxa_guard_acquire(struct guard *g);
void __cxa_guard_release(struct guard *g);
void __cxa_guard_abort(struct guard *g);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t made_or_not = PTHREAD_COND_INITIALIZER;

/* Nobody is cancelled here: libstdc++'s function is no place for that. */
static void wait_for_maker(struct guard *g)
{
	int before;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	while (g->busy)
		pthread_cond_wait(&made_or_not, &mutex);
	pthread_setcancelstate(before, NULL);
}

/* 1: the caller makes it. */
WEAK int __cxa_guard_acquire(struct guard *g)
{
	if (atomic_load_explicit(&g->made, memory_order_acquire))
		return 0;
	pthread_mutex_lock(&mutex);
	if (g->busy)
		wait_for_maker(g);
	int makes = !atomic_load_explicit(&g->made, memory_order_relaxed);
	if (makes)
		g->busy = 1;
	pthread_mutex_unlock(&mutex);
	return makes;
}

static void end(struct guard *g, unsigned char made)
{
	pthread_mutex_lock(&mutex);
	atomic_store_explicit(&g->made, made, memory_order_release);
	g->busy = 0;
	pthread_cond_broadcast(&made_or_not);
	pthread_mutex_unlock(&mutex);
}

WEAK void __cxa_guard_release(struct guard *g)
{
	end(g, 1);
}

/* The constructor has thrown: the next one may try. */
WEAK void __cxa_guard_abort(struct guard *g)
{
	end(g, 0);
}
