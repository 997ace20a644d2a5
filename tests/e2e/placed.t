# A set of pointers is ordered by address: in the executor and in a replay blocks lie elsewhere, but where nothing else explains the log, as they did.
cat >sets.cpp <<'P'
#include <cassert>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <set>
#include <unistd.h>
struct Item { int id; char text[40]; };
static std::set<Item *> items;
static std::mutex m;
static Item *volatile last; // decides addresses, so that these are recorded
static volatile int added;
static void add(int n)
{
	for (int i = 0; i < n; i++) {
		Item *x = new Item{i, ""};
		last = x;
		std::lock_guard<std::mutex> l(m);
		items.insert(x);
		if (i % 3 == 2) {
			Item *y = *items.begin();
			items.erase(y);
			delete y; // the next one lies there, below all others
		}
		last->id++;
	}
}
static void *work(void *)
{
	usleep(20000);
	add(20);
	added = added + 1;
	return nullptr;
}
int main()
{
	pthread_t t;
	pthread_create(&t, nullptr, work, nullptr);
	add(50);
	int before = added;
	usleep(60000);
	added = before + 1;
	pthread_join(t, nullptr);
	assert(added == 2);
}
P
HARD=2 ENGINE=solve proven sets.cpp
