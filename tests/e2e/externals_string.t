# What libstdc++ does to a std::string is seen: its length races with a reader's.
cat >p.cc <<'P'
#include "race.h"
#include <string>
static std::string text = "some text that is longer than an object has room for";
static size_t seen;
static void *change(void *x)
{
	for (int i = 0; i < 3; i++) {
		sched_yield();
		if (i % 2)
			text.append(" and even more");
		else
			text.assign("a text of some length");
	}
	return x;
}
static void *look(void *x)
{
	sched_yield();
	seen = text.size();
	return x;
}
int main()
{
	pthread_t a, b;
	pthread_create(&a, 0, change, 0);
	pthread_create(&b, 0, look, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(seen == 52 || seen == 21);
	return 0;
}
P
rethread c++ -O1 -g -I"$ROOT/tests/e2e" p.cc -o p
reproduced /dev/null ./p
! grep "is not recorded: " err || fail "functions of std::string are not known"
