# A function that waits for its input faults in it: the stream is none, since another thread took the file away after it had been seen. The call has no record;
# in a replay it is really made, and faults at the program's own line.
cat >spool.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_barrier_t both;
static void *worker(void *arg)
{
	char line[8];
	int there = access("job", R_OK) == 0;
	pthread_barrier_wait(&both);
	pthread_barrier_wait(&both);
	FILE *f = there ? fopen("job", "r") : stdin;
	return fgets(line, sizeof line, f) ? arg : NULL; /* here it dies */
}
int main(void)
{
	pthread_t t;
	fclose(fopen("job", "w"));
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&t, NULL, worker, NULL);
	pthread_barrier_wait(&both);
	unlink("job");
	pthread_barrier_wait(&both);
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread spool.c -o spool
status 139 rethread record ./spool 2>err
for engine in solve search; do
	rethread reproduce --engine $engine --budget 40 >out 2>&1 || fail "$engine: $(cat out)"
	rethread replay -n 20 >out 2>&1 || fail "$engine, not replayed: $(cat out)"
	has out '^reproduced 20/20$'
done
rethread explain >out
has out 'spool.c:12 +return fgets'
