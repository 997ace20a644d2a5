# Numbers made of where a variable lies, by which hash tables are seeded: they are the recorded run's. Which buckets are chosen is not in the log.
cat >seeds.cpp <<'P'
#include <cstdint>
#include <cstdlib>
#include <thread>
static const char anchor[8] = {0};
static thread_local int own;
static long counts[4];
static uint64_t seed()
{
	return reinterpret_cast<uintptr_t>(&anchor);
}
static uint64_t hash(uint64_t state, uint64_t key)
{
	uint64_t h = (state + key) * 0x9ddfea08eb382d69u;
	return h ^ h >> 47;
}
static void work(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		if (hash(seed(), i) & 32)
			counts[hash(seed(), i) >> 13 & 3] += 3;
		if (reinterpret_cast<uintptr_t>(&own) * 0x9ddfea08eb382d69u >> 60 & 1)
			counts[1]++;
	}
}
int main()
{
	std::thread a(work, 40), b(work, 40);
	a.join();
	b.join();
	std::abort();
}
P
for opt in -O0 -O2; do
	rethread c++ $opt -g -pthread -o seeds seeds.cpp
	rethread record -q ./seeds || true
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread replay -n 10 >out 2>&1 || fail "$opt: $(cat out)"
	has out '^reproduced 10/10$'
done
