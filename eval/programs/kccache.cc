// Threads read and write few records of a cache, which orders them by use. For eval/real.sh.
#include <cassert>
#include <cstdio>
#include <kccachedb.h>
#include <thread>
#include <vector>
enum { THREADS = 3, ROUNDS = 300, KEYS = 20 };
static kyotocabinet::CacheDB db;
static std::string key(int i) { return "key " + std::to_string(i); }
static void work(int me)
{
	for (int i = 0; i < ROUNDS; i++) {
		std::string value;
		bool found = db.get(key((i * 7 + me) % KEYS), &value);
		assert(found && value.size() == 5);
	}
}
int main()
{
	bool opened = db.open("*", kyotocabinet::CacheDB::OWRITER | kyotocabinet::CacheDB::OCREATE);
	assert(opened);
	for (int i = 0; i < KEYS; i++)
		db.set(key(i), "value");
	std::vector<std::thread> threads;
	for (int i = 0; i < THREADS; i++)
		threads.emplace_back(work, i);
	for (auto &t : threads)
		t.join();
	long sum = 0;
	for (int i = 0; i < KEYS; i++) {
		bool removed = db.remove(key(i));
		assert(removed);
		sum += removed;
	}
	assert(db.count() == 0);
	db.close();
	printf("%ld records\n", sum);
	return 0;
}
