# A variable of threads that another file defines, and that nothing has to make: no function from outside is asked for.
cat >n.h <<'E'
struct node { int n; };
namespace there { extern thread_local node *mine; }
extern thread_local int count;
extern thread_local node made;
E
cat >a.cc <<'E'
#include "n.h"
#include <cstdlib>
namespace there { thread_local node *mine; }
thread_local int count;
thread_local node made = {std::atoi("5")};
E
cat >p.cc <<'E'
#include "race.h"
#include "n.h"
static volatile int sum;
static void *work(void *x)
{
	node n = {made.n};
	there::mine = &n;
	for (int i = 0; i < 2; i++)
		count += there::mine->n;
	int was = sum;
	sched_yield();
	sum = was + count;
	return x;
}
int main()
{
	pthread_t a, b;
	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(sum == 20);
	return 0;
}
E
rethread c++ -O1 -g -I"$ROOT/tests/e2e" p.cc a.cc -o p
! rethread analyze ./p | grep 'no table knows' || fail "a function that is nowhere is asked for"
reproduced /dev/null ./p
