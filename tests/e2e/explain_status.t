# A run ends by exit(3), behind a branch on what was read under a lock; the message reads the same again, which has no part in it.
cat >flush.cpp <<'P'
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unistd.h>
static std::mutex queue_lock, file_lock;
static int queued = 3, written;
static int lines_written()
{
	std::lock_guard<std::mutex> l(file_lock);
	return written;
}
static bool is_empty()
{
	std::lock_guard<std::mutex> l(queue_lock);
	return queued == 0;
}
static void writes()
{
	int batch;
	{
		std::lock_guard<std::mutex> l(queue_lock);
		batch = queued;
		queued = 0;
	}
	for (; batch; batch--) {
		{
			std::lock_guard<std::mutex> l(file_lock);
			written++;
		}
		usleep(30000);
	}
}
int main()
{
	std::thread t(writes);
	while (!is_empty())
		usleep(1000);
	usleep(2000);
	if (lines_written() != 3) {
		std::fprintf(stderr, "only %d lines are written\n", lines_written());
		std::exit(3);
	}
	t.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread flush.cpp -o flush
status 3 rethread record ./flush 2>err
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "not inferred: $(cat out)"
rethread explain | tr -s ' \n' ' ' >text
has text 'In short: thread 1 found written = [12] \(flush.cpp:11\), which thread 1:1 had written \(flush.cpp:29\)\.'
