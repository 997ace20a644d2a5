# In gdb the replay stops just before the failing operation; breakpoints and steps before that do not disturb it.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
static volatile int x, y;
static void *set(void *a)
{
	x = 1;
	y = 1;
	return a;
}
static void check(void)
{
	int seen = x;
	int other = y;
	assert(!(seen && !other));
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, set, 0);
	check();
	pthread_join(t, 0);
	return 0;
}
P
rethread cc -O1 -g p.c -o p
rethread record ./p 2>err
# 1: create, x, y, the failing assertion; 1:1: x, y
printf 'rethread-schedule 1\nwait 1 2 1:1 1 # p.c:12 load | p.c:6 store\nwait 1:1 2 1 3 # p.c:7 store | p.c:13 load\nfail 1 4\n' >schedule
cat >batch <<'G'
bt
rethread threads
rethread schedule
info threads
continue
G
rethread replay --schedule schedule --gdb-batch batch >out 2>&1
has out 'just before the failing operation' '#[0-9]+ .* check \(\) at .*p.c:14' '#[0-9]+ .* main \(\) at .*p.c:20'
has out '^1 +gdb thread 1 +access 4 +runs; its part of the schedule is done' ' in .*p.c:14'
has out '^1:1 +gdb thread . +access . '
has out '^x 1 +2 +waits until 1:1 1  # p.c:12 load' '^> 1 +4 +the failure is expected' '1:1 +2 +waits until 1 3'
has out 'SIGABRT'
# The store to y is held back while the other thread is stopped and stepped.
cat >batch <<'G'
break p.c:12
run
next
shell sleep 2
next
rethread threads
delete
continue
continue
G
sed 's/^rethread run$//' /dev/null
rethread replay --schedule schedule --gdb-batch batch >out 2>&1
has out 'SIGABRT' 'Assertion'
# A deadlock: the operation that closes the cycle.
rethread cc -O1 -g -pthread "$BUGS/mysql_deadlock.c" -o d
rethread record --until-failure --timeout 5 ./d >rec 2>&1 || :
rethread reproduce >rec 2>&1
printf 'rethread threads\n' >batch
rethread replay --gdb-batch batch >out 2>&1
has out 'just before the failing operation' ' in (flush_logs|execute) \(\) at .*mysql_deadlock.c'

# ... by the last thread that blocks: main already waits for the others.
cat >cycle.c <<'P'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *forth(void *x)
{
	pthread_mutex_lock(&a);
	usleep(1000);
	pthread_mutex_lock(&b); /* forth blocks */
	n++;
	return x;
}
static void *back(void *x)
{
	pthread_mutex_lock(&b);
	usleep(1000);
	pthread_mutex_lock(&a); /* back blocks */
	n--;
	return x;
}
int main(void)
{
	pthread_t s, t;
	pthread_create(&s, NULL, forth, NULL);
	pthread_create(&t, NULL, back, NULL);
	pthread_join(s, NULL);
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O1 -g -pthread cycle.c -o cycle
status 124 rethread record --until-failure -- ./cycle 2>err
rethread reproduce >out 2>&1 || fail "$(cat out)"
echo 'rethread threads' >batch
rethread replay --gdb-batch batch >out 2>&1
has out '^#[0-9]+ .* in (forth|back) ' ' in forth \(\) at .*cycle.c:9' ' in back \(\) at .*cycle.c:17' ' in main \(\) at .*cycle.c:26'
# A bad exit status whose order was recorded or searched for: the last thing that the thread does.
cat >e.c <<'P'
#include <pthread.h>
static volatile int x;
static void *set(void *a)
{
	x = 3;
	return a;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, set, 0);
	pthread_join(t, 0);
	return x;
}
P
rethread cc -O1 -g e.c -o e
status 3 rethread record -q --scheme rw ./e
rethread reproduce >out 2>&1
echo bt >batch
rethread replay --gdb-batch batch >out 2>&1
has out 'just before the failing operation' '#0 .*main \(\) at .*e.c:13'
