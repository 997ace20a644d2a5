# A fault in what libstdc++ does to the nodes of a list, which comes with rethread as code of the program: the replay fails in the same line of it.
cat >nodes.cpp <<'P'
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <thread>
static std::list<int> all{1, 2, 3};
static std::mutex lock;
static std::atomic<int> seen;
static void work(int n)
{
	for (int i = 0; i < n; i++) {
		std::lock_guard<std::mutex> guard(lock);
		all.splice(all.begin(), all, --all.end());
		seen++;
		while (i == n - 2 && seen < n)
			;
	}
}
int main()
{
	std::thread t(work, 100);
	while (seen < 99)
		;
	memset((char *)&all.back() - 16, 0x11, 16); /* what somebody who has no lock leaves */
	seen++;
	t.join();
}
P
for opt in -O1 -O2; do
	rethread c++ $opt -g -pthread -o nodes nodes.cpp
	rethread record --until-failure --runs 20 -q ./nodes || true
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread replay -n 10 >out 2>&1 || fail "$opt: $(cat out)"
	has out '^reproduced 10/10$'
done
