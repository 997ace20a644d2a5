# An exception that another thread threw lies where a block of the program's own was before: the C++ library allocated it, which is not in the
# log, so the address that was read may be either's.
cat >thrown.cpp <<'P'
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>
struct Node { Node *next; char text[136]; }; // as large as an exception
static Node *volatile shown; // decides an address, so its values and where nodes lie are recorded
static std::exception_ptr thrown;
static volatile int done, tries;
static void *work(void *)
{
	Node *n = (Node *)malloc(sizeof *n);
	n->next = nullptr;
	shown = n;
	usleep(20000);
	shown = nullptr;
	free(n);
	try {
		throw std::runtime_error("lost");
	} catch (...) {
		thrown = std::current_exception();
	}
	tries = tries + 1;
	done = 1;
	usleep(1000);
	tries = tries + 1;
	return nullptr;
}
int main()
{
	pthread_t t;
	pthread_create(&t, nullptr, work, nullptr);
	usleep(10000);
	if (Node *n = shown)
		n->text[0] = 1;
	while (!done)
		usleep(100);
	try {
		std::rethrow_exception(thrown);
	} catch (const std::runtime_error &e) {
		assert(tries == 2);
	}
	pthread_join(t, nullptr);
}
P
ENGINE=solve proven thrown.cpp
