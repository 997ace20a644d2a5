// For eval/real.sh: several threads log through log4cplus' asynchronous appender into a file. Prints how many lines came.
#include <log4cplus/asyncappender.h>
#include <log4cplus/configurator.h>
#include <log4cplus/fileappender.h>
#include <log4cplus/initializer.h>
#include <log4cplus/layout.h>
#include <log4cplus/logger.h>
#include <log4cplus/loggingmacros.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

int main(int, char **argv)
{
	enum { THREADS = 3, LINES = 100, QUEUE = 1 };
	std::string path = std::string(argv[0]) + ".lines";
	{
		log4cplus::Initializer initializer;
		log4cplus::SharedAppenderPtr file(new log4cplus::FileAppender(path));
		file->setLayout(std::make_unique<log4cplus::PatternLayout>("%m%n"));
		log4cplus::SharedAppenderPtr async(new log4cplus::AsyncAppender(file, QUEUE));
		log4cplus::Logger logger = log4cplus::Logger::getRoot();
		logger.addAppender(async);
		std::vector<std::thread> threads;
		for (int t = 0; t < THREADS; t++)
			threads.emplace_back([&, t] {
				for (int i = 0; i < LINES; i++)
					LOG4CPLUS_INFO(logger, "thread " << t << " line " << i);
			});
		for (auto &t : threads)
			t.join();
	}
	std::ifstream file(path);
	std::string line;
	int n = 0;
	while (std::getline(file, line))
		n += !line.compare(0, 7, "thread ");
	std::printf("%d lines\n", n);
	return n == THREADS * LINES ? 0 : 1;
}
