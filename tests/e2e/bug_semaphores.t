# A deadlock of semaphores, which nobody holds: whoever blocks has to come after the step that took what it waits for.
# The schedule says so, or the threads of a replay might get by one another.
cat >prog.c <<'P'
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static sem_t printer, scanner;
static void *copies(void *a)
{
	sem_wait(&scanner);
	usleep(200000);
	sem_wait(&printer);
	sem_post(&printer);
	sem_post(&scanner);
	return a;
}
static void *calibrates(void *a)
{
	sem_wait(&printer);
	usleep(200000);
	sem_wait(&scanner);
	sem_post(&scanner);
	sem_post(&printer);
	return a;
}
int main(void)
{
	pthread_t t[2];
	sem_init(&printer, 0, 1);
	sem_init(&scanner, 0, 1);
	pthread_create(&t[0], NULL, copies, NULL);
	pthread_create(&t[1], NULL, calibrates, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread prog.c -o prog
status 124 rethread record --until-failure --runs 10 --timeout 1 -o trace ./prog 2>err
rethread reproduce trace --engine solve >out 2>err
rethread replay -n 5 trace >out
has out 'reproduced 5/5'
has trace/schedule '^wait 1:1 3 1:2 1@sem_wait' '^wait 1:2 3 1:1 1@sem_wait'
