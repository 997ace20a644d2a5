# Native code that jumps to no function when nothing of the program runs: a destructor of a thread's own data, an exit handler.
cat >key.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static void *volatile destructor = (void *)0x10;
static pthread_key_t key;
static void *work(void *arg)
{
	pthread_setspecific(key, arg);
	return NULL;
}
int main(void)
{
	pthread_t t;
	pthread_key_create(&key, (void (*)(void *))destructor);
	pthread_create(&t, NULL, work, &t);
	pthread_join(t, NULL);
	return 0;
}
C
sed 's/pthread_key_create.*/atexit((void (*)(void))destructor);/; s/pthread_setspecific.*/key = (pthread_key_t)(long)arg;/' key.c >exit.c
BUDGET=10 ENGINE=solve proven key.c
BUDGET=10 ENGINE=solve proven exit.c
