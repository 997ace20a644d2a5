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

# main returns what branches chose, and destructors with branches of their own come behind that.
cat >tally.cpp <<'P'
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
static std::mutex lock;
static int errors;
static void check(const std::vector<std::string> &names)
{
	for (auto &n : names) {
		std::lock_guard<std::mutex> l(lock);
		if (n.size() > 20)
			errors++;
	}
}
int main(int argc, char **)
{
	for (int round = 0; round < 3; round++) {
		std::vector<std::string> names = {"one", std::string(20 + argc, 'x'), "three"};
		std::thread t(check, std::cref(names));
		t.join();
		std::string more(30, 'y');
		if (errors) {
			std::puts(more.c_str());
			return 7;
		}
	}
	return 0;
}
P
for opt in -O0 -O2; do
	rethread c++ -std=c++17 $opt -g -pthread tally.cpp -o tally
	status 7 rethread record ./tally >recorded 2>err
	rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "not inferred: $(cat out)"
	rethread explain | tr -s ' \n' ' ' >text
	has text 'In short: thread 1 found errors = 1 \(tally.cpp:23\), which thread 1:1 had written \(tally.cpp:13\)\.'
done
