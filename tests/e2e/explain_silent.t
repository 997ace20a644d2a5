# Who writes what is there already has not come in between: nobody can tell. Nor are of two values, one of which was only written again, any from before and after.
cat >settings.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
enum { ROUNDS = 10 };
static volatile int mode = 1, level = 1;
static atomic_int looked, set;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *change(void *arg)
{
	while (!looked)
		continue;
	pthread_mutex_lock(&lock);
	level = 2;
	mode = 1;
	pthread_mutex_unlock(&lock);
	set = 1;
	return arg;
}
static int differs(int round)
{
	int was = mode;
	if (round == ROUNDS - 1) {
		looked = 1;
		while (!set)
			usleep(2000);
	}
	return mode != was;
}
static void *use(void *arg)
{
	int first = level, different = 0;
	for (int i = 0; i < ROUNDS; i++)
		different += differs(i);
	int second = level;
	assert(first == second || different);
	return arg;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, change, NULL);
	pthread_create(&t[1], NULL, use, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
P
ENGINE=solve proven settings.c
sed -n '/^Who came in between/,/^$/p' out >between
! grep -q 'read mode' between || fail "what was only written again: $(cat between)"

cat >both.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static volatile int mode = 1, level = 1;
static atomic_int looked, set;
static void *change(void *arg)
{
	while (!looked)
		continue;
	level = 2;
	mode = 1;
	set = 1;
	return arg;
}
static void *use(void *arg)
{
	int first = level;
	int was = mode;
	looked = 1;
	while (!set)
		continue;
	int is = mode;
	int second = level;
	assert(first == second || was != is);
	return arg;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, change, NULL);
	pthread_create(&t[1], NULL, use, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
P
ENGINE=solve proven both.c
! grep -q 'the one value is from before' out || fail "neither is: $(cat out)"
