# Numbers made of a thread's identity decide where std::barrier counts a thread, and the shard of a counter: they are the recorded run's.
cat >shards.cpp <<'P'
#include <barrier>
#include <cstdlib>
#include <functional>
#include <pthread.h>
#include <thread>
#include <vector>
static long shards[8], counts[4];
static std::barrier<> meet(6);
static void work(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		size_t shard = std::hash<std::thread::id>()(std::this_thread::get_id()) % 8;
		if (shard & 1)
			shards[shard] += shard & 2 ? 3 : 5;
#ifdef __OPTIMIZE__ /* else the identity goes through memory before it is a number */
		if ((pthread_self() >> 12) % 4 == 1)
			counts[1]++;
#endif
		meet.arrive_and_wait();
	}
}
int main()
{
	std::vector<std::thread> all;
	for (int i = 0; i < 6; i++)
		all.emplace_back(work, 4);
	for (auto &t : all)
		t.join();
	std::abort();
}
P
for opt in -O0 -O1 -O2; do
	rethread c++ -std=c++20 $opt -g -pthread -o shards shards.cpp
	rethread record -q ./shards || true
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread replay -n 10 >out 2>&1 || fail "$opt: $(cat out)"
	has out '^reproduced 10/10$'
done
