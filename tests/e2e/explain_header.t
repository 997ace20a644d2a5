# A null pointer that a function of a header read: what the failure rests on is told, not the variable that the thread had read in the same line, and which it does not rest on.
cat >plugin.cpp <<'P'
#include <atomic>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>
struct codec { virtual ~codec() = default; virtual int encode(int) const = 0; };
struct adds : codec { int by; explicit adds(int n) : by(n) {} int encode(int v) const override { return v + by; } };
struct registry { std::vector<std::unique_ptr<codec>> codecs; std::atomic<int> loaded{0}; };
static void load(registry *r)
{
	r->codecs.resize(4);
	r->loaded = 1;
	usleep(30000);
	for (int i = 0; i < 4; i++)
		r->codecs[i] = std::make_unique<adds>(i);
}
int main()
{
	registry r;
	int sum = 0;
	std::thread t(load, &r), u([&] { while (!r.loaded) {} for (int i = 3; i >= 0; i--) sum += r.codecs[i].get()->encode(i); });
	t.join();
	u.join();
	return sum == 0;
}
P
rethread c++ -std=c++17 -O2 -g -pthread plugin.cpp -o plugin
status 139 rethread record ./plugin 2>err
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "not inferred: $(cat out)"
rethread explain | tr -s ' \n' ' ' >text
has text 'In short: thread 1:2 found [^=]* = (0|NULL) \(plugin.cpp:21\), which thread 1:1 had written \(plugin.cpp:11\)'
