# A pointer that is no address ends the run, and the executor, which lets the other thread write it too early, finds a good one there:
# that the failing line uses none is a condition.
cat >nodes.cpp <<'P'
#include <atomic>
#include <cstring>
#include <list>
#include <mutex>
#include <thread>
#include <unistd.h>
static std::list<int> all{1, 2, 3};
static std::mutex lock;
static std::atomic<int> seen;
static void work(int n)
{
	for (int i = 0; i < n; i++) {
		if (i > 100)
			usleep(500);
		std::lock_guard<std::mutex> guard(lock);
		seen++;
		for (volatile int k = 0; k < 3000; k++)
			;
		all.splice(all.begin(), all, --all.end());
	}
}
int main()
{
	std::thread t(work, 1 << 30);
	while (seen < 100)
		;
	memset((char *)&all.back() - 16, 0x11, 16);
	t.join();
}
P
rethread c++ -O1 -g -pthread -o nodes nodes.cpp
for i in 1 2 3 4; do
	rethread record --until-failure --runs 20 -q -o t$i ./nodes || true
	rethread reproduce --engine solve --budget 25 t$i >out 2>&1 || fail "$(cat out)"
	rethread replay -n 5 t$i >out 2>&1 || fail "$(cat out)"
	has out '^reproduced 5/5$'
done
