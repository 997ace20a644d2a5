# std::atomic_load and std::atomic_store of shared pointers: which of its locks libstdc++ takes, addresses decide, so the program has its own (src/library/pointers.c).
cat >lists.cc <<'P'
#include "race.h"
#include <atomic>
#include <memory>
struct node {
	std::shared_ptr<node> next;
};
static std::shared_ptr<node> *heads[8];
static void *push(void *x)
{
	for (int i = 0; i < 40; i++) {
		std::shared_ptr<node> *head = heads[i % 8], n = std::make_shared<node>();
		n->next = std::atomic_load(head);
		if (i % 11 == 3)
			sched_yield();
		std::atomic_store(head, n); // bug: somebody else's node may be there by now
	}
	return x;
}
int main()
{
	pthread_t a, b;
	int n = 0;
	for (auto &h : heads)
		h = new std::shared_ptr<node>;
	pthread_create(&a, 0, push, 0);
	pthread_create(&b, 0, push, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	for (auto &h : heads)
		for (auto p = std::atomic_load(h); p; p = p->next)
			n++;
	assert(n == 80);
}
P
rethread c++ -O1 -g -std=c++17 -I"$ROOT/tests/e2e" lists.cc -o lists
reproduced /dev/null ./lists
rethread infer --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
