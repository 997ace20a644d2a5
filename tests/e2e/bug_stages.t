# A pipeline over semaphores: items are copied by vector loads and stores, each one step of a replay. Orders that come in the middle of such
# a step would explain the log as well, but do not replay.
cat >stages.cpp <<'P'
// A pipeline of stages with counting_semaphores and a std::barrier between batches. Bug: the slot is given back before the item was
// copied out of it.
#include <array>
#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>
struct Item { int id; std::array<int, 6> data; };
template <int N> class Channel {
	std::array<Item, N> slots{};
	std::counting_semaphore<N> room{N}, filled{0};
	std::atomic<unsigned> in{0}, out{0};
public:
	void send(const Item &it) { room.acquire(); slots[in++ % N] = it; filled.release(); }
	Item receive() {
		filled.acquire();
		const Item &it = slots[out++ % N];
		room.release(); // belongs after the copy
		return it;
	}
};
static Channel<2> first, second;
static constexpr int batches = 6, batch = 10;
static long total, rounds;
int main() {
	std::barrier sync(3, []() noexcept { rounds++; });
	std::thread source([&] {
		for (int b = 0; b < batches; b++) {
			for (int i = 0; i < batch; i++) { Item it{b * batch + i, {}}; it.data.fill(it.id); first.send(it); }
			sync.arrive_and_wait();
		}
	});
	std::thread middle([&] {
		for (int b = 0; b < batches; b++) {
			for (int i = 0; i < batch; i++) { Item it = first.receive(); for (int &d : it.data) d *= 2; second.send(it); }
			sync.arrive_and_wait();
		}
	});
	std::thread sink([&] {
		for (int b = 0; b < batches; b++) {
			for (int i = 0; i < batch; i++) {
				Item it = second.receive();
				for (int d : it.data)
					if (d != 2 * it.id) { std::fprintf(stderr, "item %d has %d\n", it.id, d); std::exit(9); }
				total += it.id;
			}
			sync.arrive_and_wait();
		}
	});
	source.join(); middle.join(); sink.join();
	std::printf("%ld in %ld rounds\n", total, rounds);
}
P
FLAGS=-std=c++20 ENGINE=solve BUDGET=30 proven stages.cpp
