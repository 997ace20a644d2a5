// Numbers that two producers hand to three consumers through a queue without locks (concurrentqueue).
#include <atomic>
#include <concurrentqueue.h>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

enum { ITEMS = 400, PRODUCERS = 2, CONSUMERS = 3 };

struct Item {
	unsigned number, square;
};

int main()
{
	moodycamel::ConcurrentQueue<Item> queue;
	std::atomic<unsigned> left{PRODUCERS * ITEMS}, sum{0};
	std::vector<std::thread> threads;
	for (unsigned p = 0; p < PRODUCERS; p++)
		threads.emplace_back([&queue] {
			moodycamel::ProducerToken token(queue);
			for (unsigned i = 1; i <= ITEMS; i++) {
				queue.enqueue(token, Item{i, i * i});
				if (i % 4 == 0)
					std::this_thread::yield();
			}
		});
	for (unsigned c = 0; c < CONSUMERS; c++)
		threads.emplace_back([&] {
			Item item{0, 0};
			while (left.load() > 0) {
				if (!queue.try_dequeue(item)) {
					std::this_thread::yield();
					continue;
				}
				if (item.number < 1 || item.number > ITEMS || item.square != item.number * item.number)
					abort();
				sum += item.square;
				left--;
			}
		});
	for (auto &t : threads)
		t.join();
	printf("%u\n", sum.load());
}
