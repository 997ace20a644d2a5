# Steps inside the headers of the system (std::mutex, std::thread) are shown where the program's own code called them, inlined or not.
cat >own.cpp <<'P'
#include <cstdlib>
#include <mutex>
#include <thread>
static std::mutex mutex;
static int count;
static void work()
{
	std::lock_guard<std::mutex> guard(mutex);
	count++;
}
int main()
{
	std::thread a(work);
	work();
	a.join();
	if (count == 2)
		std::abort();
}
P
for opt in -O0 -O2; do
	rethread c++ $opt -g -pthread -o own own.cpp
	rethread record -q ./own || true
	rethread reproduce >out 2>&1 || fail "$opt: $(cat out)"
	rethread explain --all >out 2>&1
	has out 'own.cpp:8 .* lock mutex' 'own.cpp:13 .* create 1:1' 'own.cpp:15 .*join'
	if grep -E '(gthr|mutex|thread)[^ ]*:[0-9]+ ' out; then fail "$opt: headers of the system: $(cat out)"; fi
done
