# A trace keeps the program that was recorded: it can be used when that is built again, when it is gone, and when the trace has been moved.
mkdir work && cd work
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static long count, arrived;
static void *adds(void *arg)
{
	long was = count;
	__atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < 2)
		usleep(100);
	count = was + 1;
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, adds, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(count == 2);
}
P
# used WHERE...: everything works on the trace.
used() {
	rethread reproduce "$@" >out 2>&1 || fail "not reproduced: $(cat out)"
	rethread replay -n 3 "$@" >out 2>&1 || fail "not replayed: $(cat out)"
	has out '^reproduced 3/3$'
	rethread explain "$@" >out 2>&1
	has out '^In short: .* count \(p.c:' "work/p: assertion failed"
	rethread dump "$@" >out 2>&1
	has out 'p.c:7'
}
rethread cc -O2 -g -pthread p.c -o p
status 134 rethread record -q ./p 2>err
# It takes no room, where it is only another name.
[ "$(stat -c %h p)" = 2 ] && [ "$(stat -c %i p)" = "$(stat -c %i "$(latest)/program")" ] || fail "$(ls -li p "$(latest)")"
rethread info >out
has out "^program +$PWD/p$" '^on disk +[0-9]{1,6} bytes$'
used
# Built again, with another mistake.
sed -i 's/count = was + 1/count = was + 7/' p.c
rethread cc -O1 -g -pthread p.c -o p
used
# Gone, with the directory; the trace elsewhere.
cd ..
cp -r "$(latest)" moved
rethread rm --all
mv work/p.c .
rm -r work
used ./moved
# A trace of a fine run has it as well; one of runs that were not kept is nowhere.
rethread cc -O2 -g -pthread -DNDEBUG p.c -o p
rethread record -q ./p
[ -e "$(latest)/program" ] || fail "not kept"
rethread rm --all
rethread record -q --until-failure --runs 3 ./p
[ "$(stat -c %h p)" = 1 ] || fail "kept: $(ls -l p)"
