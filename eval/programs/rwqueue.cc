// One thread hands numbers to another through a queue without locks, which grows by blocks (readerwriterqueue).
#include <cstdio>
#include <cstdlib>
#include <readerwriterqueue.h>
#include <thread>

enum { ITEMS = 3000 };

struct Item {
	unsigned number, square;
};

int main()
{
	moodycamel::ReaderWriterQueue<Item> queue(15);
	unsigned sum = 0;
	std::thread producer([&queue] {
		for (unsigned i = 1; i <= ITEMS; i++)
			queue.enqueue(Item{i, i * i});
	});
	for (unsigned i = 1; i <= ITEMS;) {
		Item item;
		if (!queue.try_dequeue(item))
			continue;
		if (item.number != i || item.square != i * i)
			abort();
		sum += item.square;
		i++;
	}
	producer.join();
	printf("%u\n", sum);
}
