# As long as the program has one thread, it has one thread to the C library, whatever threads a replay has of its own: std::shared_ptr counts
# in two accesses then, later in one.
cat >single.cpp <<'P'
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::shared_ptr<int> current;

static void put(std::shared_ptr<int> p)
{
	std::lock_guard<std::mutex> l(lock);
	current = p;
}

int main()
{
	auto first = std::make_shared<int>(0);
	for (int i = 0; i < 5; i++) {
		auto another = first;
		put(another);
	}
	std::thread t([first] {
		for (int i = 0; i < 20; i++)
			put(first);
	});
	for (int i = 0; i < 20; i++)
		put(first);
	t.join();
	abort();
}
P
rethread c++ -O2 -g -pthread -o single single.cpp
for scheme in path+sync path rw; do
	rethread record -q --scheme $scheme ./single || true
	for engine in solve search follow; do
		case $scheme-$engine in rw-solve | rw-search | path*-follow) continue ;; esac
		rethread reproduce --engine $engine --budget 30 >out 2>&1 || fail "$scheme $engine: $(cat out)"
		rethread replay -n 3 >out 2>&1 || fail "$scheme $engine: $(cat out)"
		has out 'reproduced 3/3'
	done
done
