# Trees, vectors and strings of a thread's own: their pointers are compared with NULL and with one another, and none of that is recorded
# where operator new made them. What malloc made may be NULL because that failed. The executor finds its way without.
cat >p.cpp <<'P2'
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

static volatile long loose;
static long wide[2];

static long work(int n, int from) {
  std::map<std::string, int> seen;
  std::vector<std::string> some;
  for (int i = 0; i < n; i++) {
    std::string s = "word" + std::to_string((i * 31 + from) % 97);
    seen[s]++;
    if (i % 16 == 0)
      some.push_back(s);
    loose = loose + 1;  // bug: both threads do
  }
  seen.erase("word5");
  long sum = 0;
  for (auto &s : seen)
    sum += s.second * (long)s.first.size();
  return sum + (long)some.size();
}

int main() {
  std::thread a([] { wide[0] = work(300, 1); }), b([] { wide[1] = work(300, 2); });
  a.join();
  b.join();
  if (loose != 600)
    abort();
  return wide[0] == 1;
}
P2
ENGINE=solve proven p.cpp
rethread analyze p >out
! grep -E '^  (stack|heap) .*in (work|allocate)' out || fail "a thread's own are shared"
recorded=$(sed -n 's/^branches: \([0-9]*\) recorded.*/\1/p' out)
test "${recorded:-0}" -lt 40 || fail "$recorded branches are recorded"

cat >list.c <<'P2'
#include <pthread.h>
#include <stdlib.h>
struct node { struct node *next; long v; };
static void *work(void *n)
{
	struct node *list = NULL;
	long sum = 0;
	for (long i = 0; i < (long)n; i++) {
		struct node *p = malloc(sizeof *p);
		if (!p)
			break;
		*p = (struct node){list, i};
		list = p;
	}
	for (struct node *p = list; p; p = p->next)
		sum += p->v;
	return (void *)sum;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, (void *)10);
	return (int)(long)work((void *)11) & pthread_join(t, NULL);
}
P2
rethread cc -O2 -g -pthread list.c -o list
rethread analyze --why list >out
has out 'recorded: where something lies in memory'
