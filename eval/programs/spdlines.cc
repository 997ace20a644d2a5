// For eval/real.sh: several threads log through spdlog's asynchronous logger into a file. Prints how many lines came.
#include <spdlog/async.h>
#include <spdlog/spdlog.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

int main(int, char **argv)
{
	enum { THREADS = 3, LINES = 20 };
	std::string path = std::string(argv[0]) + ".lines";
	{
		spdlog::init_thread_pool(8, 2);
		auto logger = spdlog::basic_logger_mt<spdlog::async_factory>("log", path, true);
		logger->set_pattern("%v");
		std::vector<std::thread> threads;
		for (int t = 0; t < THREADS; t++)
			threads.emplace_back([&, t] {
				for (int i = 0; i < LINES; i++)
					logger->info("thread {} line {}", t, i);
			});
		for (auto &t : threads)
			t.join();
		logger->flush();
	}
	spdlog::shutdown();
	std::ifstream file(path);
	std::string line;
	int n = 0;
	while (std::getline(file, line))
		n += !line.compare(0, 7, "thread ");
	std::printf("%d lines\n", n);
	return n == THREADS * LINES ? 0 : 1;
}
