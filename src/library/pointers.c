/*
 * The lock of std::atomic_load, std::atomic_store and their kin for std::shared_ptr: libstdc++ has sixteen, and the pointer's address, which is
 * another one in each run, says which. So in the executor and in a replay other pointers would share one than did in the recorded run, and the
 * log would not fit. Programs get one lock for all here instead, as bitcode like their own code (src/cc/link.c). It is held for a few
 * instructions, in which nothing of the program's is called. Weak: a program that brings its own keeps them. In C, under the names that C++ gives them.
 */
#include <pthread.h>

#define WEAK __attribute__((weak))

struct locker;

/* std::_Sp_locker: constructors for one pointer and for two, destructor. */
void _ZNSt10_Sp_lockerC1EPKv(struct locker *self, const void *pointer);
void _ZNSt10_Sp_lockerC1EPKvS1_(struct locker *self, const void *one, const void *other);
void _ZNSt10_Sp_lockerD1Ev(struct locker *self);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

WEAK void _ZNSt10_Sp_lockerC1EPKv(struct locker *self, const void *pointer)
{
	(void)self, (void)pointer;
	pthread_mutex_lock(&mutex);
}

WEAK void _ZNSt10_Sp_lockerC1EPKvS1_(struct locker *self, const void *one, const void *other)
{
	(void)self, (void)one, (void)other;
	pthread_mutex_lock(&mutex);
}

WEAK void _ZNSt10_Sp_lockerD1Ev(struct locker *self)
{
	(void)self;
	pthread_mutex_unlock(&mutex);
}
