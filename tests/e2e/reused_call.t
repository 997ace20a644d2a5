# A call through an object whose memory is somebody else's text by now: what is called is no address.
cat >ready.cpp <<'P'
/*
 * A connection is closed while somebody is about to call its handler; a buffer of the same size takes its memory. The call goes
 * wherever the text in the buffer leads to.
 */
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

struct Connection {
	virtual ~Connection() {}
	virtual int ready() { return ++reads; }
	long reads = 0;
	char peer[48] = "";
};
struct Other : Connection {
	int ready() override { return 2; }
};
static std::atomic<Connection *> current;
static std::atomic<bool> done;
static std::atomic<char *> text;
static std::atomic<int> total;

static void pause_for(int us)
{
	std::this_thread::sleep_for(std::chrono::microseconds(us));
}

static void poll()
{
	for (int i = 0; i < 100; i++) {
		Connection *c = current;
		pause_for(200);
		if (c)
			total += c->ready(); // bug: it may be closed by now
	}
	done = true;
}

static void reopen()
{
	while (!done) {
		delete current.exchange(nullptr);
		char *t = new char[sizeof(Connection)];
		memset(t, 'A', sizeof(Connection));
		delete[] text.exchange(t);
		pause_for(300);
		current = done ? new Other : new Connection;
		pause_for(300);
	}
}

int main()
{
	current = new Connection;
	std::thread a(poll), b(reopen);
	a.join();
	b.join();
	return 0;
}
P
ENGINE=solve proven ready.cpp
rethread info >out
has out 'SIGSEGV at something that is no address'
