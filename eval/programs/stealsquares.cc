// Squares by a pool of threads that take one another's tasks; then the pool ends, and another one begins.
#include "thread_pool/thread_pool.hpp"

#include <condition_variable>
#include <cstdio>

int main()
{
	std::size_t sum = 0;

	for (int round = 0; round < 2; round++) {
		thread_pool::ThreadPool pool{3};
		std::vector<std::future<std::size_t>> results;
		for (std::size_t i = 0; i < 3; i++)
			results.emplace_back(pool.Submit([](std::size_t n) { return n * n; }, i));
		for (auto &r : results)
			sum += r.get();
	}
	std::printf("%zu\n", sum);
	return 0;
}
