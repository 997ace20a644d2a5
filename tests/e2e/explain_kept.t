# What std::make_shared made lies in one block with its counts: it has the names of its own type. What the failing thread read last, and its failure does not rest on (the text that it
# appends to), is no cause: the place is looked for in one section, and used in the next.
cat >shelf.cpp <<'P'
#include <cassert>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
struct Shelf {
	std::mutex mutex;
	std::vector<int> books;
	std::string label;
};
static void visitor(std::shared_ptr<Shelf> s, int who)
{
	for (int i = 0; i < 50; i++) {
		bool room;
		{
			std::lock_guard<std::mutex> l(s->mutex);
			room = s->books.size() < 60; /* looks */
		}
		std::this_thread::yield();
		if (room) {
			std::lock_guard<std::mutex> l(s->mutex);
			s->books.push_back(who * 100 + i); /* puts */
			s->label += 'x';
			assert(s->books.size() <= 60);
		}
	}
}
int main()
{
	auto shelf = std::make_shared<Shelf>();
	std::thread a(visitor, shelf, 1), b(visitor, shelf, 2);
	a.join();
	b.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread shelf.cpp -o shelf
status 134 rethread record -q --until-failure --runs 5000 ./shelf 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed '/^Who came/,$d' out | tr -s ' \n' ' ' >short
has short 'In short: thread (1:[12]) (read|went by what it had read in) Shelf.books \(shelf.cpp:18\); before it read it again \(shelf.cpp:23\), thread 1:[12] changed it \(shelf.cpp:23\); thread \1 had given up Shelf.mutex (in between|by then)\.'
! grep 'Sp_counted' out || fail "what lies beside the counts is called theirs"
