// Words that two threads count in a table whose buckets have locks of their own (oneTBB): a word that is there twice is wrong.
#include <cstdio>
#include <cstdlib>
#include <oneapi/tbb/concurrent_hash_map.h>
#include <string>
#include <thread>

enum { WORDS = 37 };

int main()
{
	tbb::concurrent_hash_map<std::string, int> counts;
	auto work = [&counts] {
		for (int i = 0; i < WORDS; i++) {
			tbb::concurrent_hash_map<std::string, int>::accessor a;
			counts.insert(a, "word" + std::to_string(i));
			a->second++;
		}
	};
	std::thread t(work), u(work);
	t.join(), u.join();
	if (counts.size() != WORDS)
		abort();
	printf("%zu\n", counts.size());
}
