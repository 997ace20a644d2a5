# A library's function that is given a std::string reads its text, not what lies behind it in the object, which nobody has written: so
# what the memory held before does not matter, and its blocks need not share it again (src/sym/mirror.c).
cat >p.cc <<'P'
#include "race.h"
#include <mutex>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>
static std::mutex mutex;
static std::vector<std::string *> lines;
static int words;
static void *count(void *x)
{
	for (int taken = 0; taken < 30;) {
		mutex.lock();
		std::string *line = lines.empty() ? nullptr : lines.back();
		if (line)
			lines.pop_back();
		mutex.unlock();
		if (!line) {
			usleep(100);
			continue;
		}
		std::istringstream in(*line);
		std::string word;
		int n = words;
		while (in >> word)
			n++;
		sched_yield();
		words = n;
		delete line;
		taken++;
	}
	return x;
}
int main()
{
	pthread_t a, b;
	pthread_create(&a, 0, count, 0);
	pthread_create(&b, 0, count, 0);
	for (int i = 0; i < 60; i++) {
		std::string *line = new std::string(i % 2 ? "a short one" : "some rather long line of words");
		mutex.lock();
		lines.push_back(line);
		mutex.unlock();
		sched_yield();
	}
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(words == 270);
}
P
rethread c++ -O1 -g -I"$ROOT/tests/e2e" p.cc -o p
reproduced /dev/null ./p
mkdir kept
TMPDIR=$PWD/kept RETHREAD_KEEP=1 rethread infer --engine solve >out 2>&1 || fail "$(cat out)"
! ls kept/*/reused 2>/dev/null || fail "blocks share their memory: $(cat out)"
