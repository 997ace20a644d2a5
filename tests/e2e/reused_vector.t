# A vector grows while somebody goes through it: what is read is what the allocator left in a block of four or eight bytes.
cat >ids.cpp <<'P'
/*
 * Whoever goes through the vector holds pointers into memory that it had before it grew. Memory is used again and again, so
 * that one recorded address stands for very many blocks, of several sizes.
 */
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

static std::vector<int> ids(1, 7);
static std::atomic<bool> here, done;

static void pause_for(int us)
{
	std::this_thread::sleep_for(std::chrono::microseconds(us));
}

static void grow()
{
	while (!here)
		pause_for(10);
	for (int round = 0; round < 60; round++) {
		ids.push_back(7);
		if (round > 40)
			pause_for(20);
		std::vector<int>(1, 7).swap(ids);
	}
	done = true;
}

static void look()
{
	here = true;
	while (!done)
		for (int id : ids) {
			pause_for(30);
			if (id != 7) // bug: nothing keeps the vector as it is
				abort();
		}
}

int main()
{
	std::thread a(grow), b(look);
	a.join();
	b.join();
	return 0;
}
P
ENGINE=solve proven ids.cpp
