# Memory without a name of its own, in the heap and on a stack, is called by its type and member where the debug information tells: structures,
# arrays of them and of numbers, what is nested in them and behind them, locks; and `explain` says who allocated it where. Without -g it is a block as before.
cat >kiosk.c <<'E'
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
struct price { int whole, cents; };
typedef struct { bool open; unsigned visits; } shelf;
struct edition { char title[20]; struct price price[2]; int check; struct edition *next; pthread_mutex_t lock; unsigned char pages[]; };
struct tally { int begun, done; };
static struct edition *current;
static struct edition *make(int n)
{
	struct edition *e = malloc(sizeof *e + 16);
	memset(e, 0, sizeof *e + 16);
	pthread_mutex_init(&e->lock, NULL);
	e->price[1].cents = e->check = n;
	return e;
}
struct job { shelf *shelves; struct tally *tally; long *bins; };
static short *counts;
static void *work(void *a)
{
	struct job *j = a;
	shelf *s = j->shelves;
	struct edition *e = current->next;
	j->tally->begun++;
	j->bins[2]++;
	counts[1]--;
	s[2].visits++;
	s[2].open = !s[2].open;
	e->pages[5]++;
	pthread_mutex_lock(&e->lock);
	pthread_mutex_unlock(&e->lock);
	int seen = e->price[1].cents;
	sched_yield();
	e->price[1].cents = seen + 1;
	current->check = 4;
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	struct tally tally = {0, argc};
	struct job job = {calloc(4, sizeof(shelf)), &tally, calloc(3, sizeof(long))};
	counts = calloc((size_t)argc + 1, sizeof *counts);
	current = make(7);
	current->next = make(8);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, &job);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (argv[0] && current->next->price[1].cents + tally.begun + (int)job.shelves[2].visits + current->next->pages[5] + job.bins[2] + counts[1] < 99)
		abort();
}
E
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread kiosk.c -o kiosk
	status 134 rethread record -q -o trace$opt ./kiosk
	rethread reproduce trace$opt --engine solve >out 2>err
	rethread explain --all trace$opt >out
	has out 'reads edition#?[12]?\.price\[1\]\.cents = 8' 'writes edition#?[12]?\.check = 4' 'lock edition#?[12]?\.lock' \
		'reads edition#?[12]?\.pages\[5\] = 0' 'writes shelf\[2\]\.visits = 1' 'writes shelf\[2\]\.open = true' 'writes tally\.begun = 1' 'writes job\.bins\[2\] = 1' 'writes counts\[1\] = -1' \
		'is a block of [0-9]+ bytes that thread 1 allocated in (make|main)' 'kiosk.c:13  struct edition \*e = malloc'
	! grep -E 'heap block|= .* 0x|edition#?[12]?\+' out || fail "memory without a name"
	# By engine search as well.
	rethread reproduce trace$opt --engine search >out 2>err
	rethread explain --all trace$opt >out
	has out 'edition#?[12]?\.price\[1\]\.cents' 'shelf.*\.visits'
done
opt=none
rethread cc -O1 -pthread kiosk.c -o kiosk
status 134 rethread record -q -o trace$opt ./kiosk
rethread reproduce trace$opt --engine solve >out 2>err
rethread explain --all trace$opt >out
has out 'reads block (#[0-9]+ )?of kiosk.c:[0-9]+\+[0-9]+ = 8'
# Without members, the type and how far into it.
opt=split
rethread cc -O1 -g -gsplit-dwarf -pthread kiosk.c -o kiosk
status 134 rethread record -q -o trace$opt ./kiosk
rethread reproduce trace$opt --engine solve >out 2>err
rethread explain --all trace$opt >out
has out 'reads edition#?[12]?\+[0-9]+ = 8'
# Classes: members of bases, behind smart pointers and in containers.
cat >book.cpp <<'E'
#include <cstdlib>
#include <map>
#include <memory>
#include <thread>
#include <vector>
namespace shop {
class Item {
public:
	virtual ~Item() = default;
	void add(int n) { int seen = count_; std::this_thread::yield(); count_ = seen + n; }
	int count_ = 0;
};
class Book : public Item {
public:
	bool sold_ = false;
};
}
struct Entry { long cost[2] = {}; int hits = 0, misses = 0, kept = 0; };
struct Store { std::map<int, std::unique_ptr<shop::Book>> books; unsigned visits = 0; std::vector<int> log; std::map<int, Entry> entries; };
int main()
{
	auto store = std::make_unique<Store>();
	store->books[1] = std::make_unique<shop::Book>();
	store->entries[1].cost[0] = 1;
	store->log.reserve(9);
	auto work = [&] { store->visits--; store->books[1]->add(1); store->books[1]->sold_ = true; store->log.push_back(3); store->entries.find(1)->second.hits++; };
	std::thread a(work), b(work);
	a.join();
	b.join();
	if (store->books[1]->count_ < 99 && store->visits > 9 && store->books[1]->sold_ && store->log.size() + store->entries[1].hits < 9)
		abort();
}
E
for opt in -O0 -O2; do
	rethread c++ $opt -g -pthread book.cpp -o book
	status 134 rethread record -q -o book$opt ./book
	rethread reproduce book$opt --engine solve >out 2>err
	rethread explain --all book$opt >out
	has out 'writes Store\.log\._M_finish = ' 'writes Entry\.hits = 1' 'writes Book\.count_ = 1' 'writes Book\.sold_ = true' 'writes Store\.visits = 4294967295' \
		'(Book|Store|Entry) is (in )?a block of [0-9]+ bytes that thread 1 allocated in main' 'writes Store\.visits = 0'
done
