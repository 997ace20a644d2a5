# Names may be any bytes: of the program, its folder, its source, and what it is given.
folder=$(printf 'f\377 "q" <b>') source=$(printf 's<i>"\376\\n.c') program=$(printf 'p\377"')
mkdir "$folder"
cd "$folder"
cat >"$source" <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static int ready, data;
static void *writes(void *x)
{
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < 50; i++)
		sched_yield();
	data = 1;
	return x;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, writes, 0);
	while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		sched_yield();
	if (!*(volatile int *)&data)
		abort();
	return 0;
}
P
rethread cc -O1 -g -pthread "$source" -o "$program"
status 134 rethread record -q --until-failure --runs 300 "./$program" "$(printf 'a\376')"
rethread dump --json >json 2>err
same "$(cat err)" ""
python3 -c 'import json; assert "lines" in json.load(open("json"))["threads"][0]' || fail "no lines"
rethread reproduce --engine solve >out 2>&1 || fail "not reproduced: $(cat out)"
rethread replay -n 5 >out 2>&1
has out 'reproduced 5/5'
rethread explain --html page.html
rethread explain >out 2>&1
has out 'thread 1:1'
! grep -q '<b>\|<i>' page.html || fail "names are not quoted in the page"
