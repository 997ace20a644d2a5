# A count that goes wrong hundreds of steps before it is asked for; what the thread finds in the end it wrote itself, but it rests on what another had counted.
# That no other thread had a part in it is not said.
cat >table.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static volatile unsigned entries;
static __attribute__((noinline)) void begin(void)
{
	entries = 0;
}
static __attribute__((noinline)) unsigned count(void)
{
	return ++entries;
}
static void *builder(void *p)
{
	unsigned n = 0;
	begin();
	usleep(p ? 3000 : 1000);
	for (unsigned i = 0; i < 256; i++)
		n = count();
	assert(n != 512);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, builder, i ? &t : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
P
rethread cc -O2 -g -pthread table.c -o table
# Which of the orders that explain a log is found is a matter of luck.
for try in 1 2 3 4; do
	status 134 rethread record -q --until-failure --runs 1000 ./table 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
	rethread explain >out
	sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
	! grep -q 'nothing that the failure rests on' short || fail "$(cat short)"
	! grep -q 'thread 1:2 wrote entries' short || break
done
has short 'In short: thread 1:2 wrote entries \(table.c:7\); before it (read|updated) it \(table.c:11\), thread 1:1 changed it \(table.c:11\); none of them has a lock\.'
