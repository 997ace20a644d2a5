# What lies before the first element of a vector is the allocator's, or a neighbour's: nobody recorded it. A vector that is empty by the time it is
# used is given back what was found there, and the C library fails, or says so and aborts.
cat >shelf.cpp <<'P'
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>
static std::vector<std::string> copies;
static std::mutex lock;
static size_t lent;
static char *note;
static bool available()
{
	std::lock_guard<std::mutex> guard(lock);
	return !copies.empty();
}
static void lend(int pause)
{
	if (!available())
		return;
	usleep(pause);
	std::lock_guard<std::mutex> guard(lock);
	std::string code = copies.back();
	copies.pop_back();
	lent += code.size();
}
int main()
{
	note = strdup("no more than what lies before the shelf"); // in the heap, as it happens
	copies.reserve(3);
	copies.push_back("the one copy that there is of this book");
	std::thread a(lend, 20000), b(lend, 30000);
	a.join();
	b.join();
	puts(note);
}
P
for standard in 17 20; do
	rethread c++ -std=c++$standard -O2 -g -pthread -o shelf shelf.cpp
	rethread record -q ./shelf || true
	rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$standard: $(cat out)"
	rethread replay -n 5 >out 2>&1 || fail "$standard: $(cat out)"
	has out '^reproduced 5/5$'
	rethread explain >out
	tr '\n' ' ' <out >line
	has line 'In short: thread 1:2 read 32 bytes before a block of 96 bytes .shelf.cpp:'
done
