# What a std::thread is given is shared; what its functions have besides is not, although the object that holds the thread leads to
# everything: libstdc++ calls the state that it is given, and nothing else.
cat >p.cpp <<'P'
#include <cstdio>
#include <mutex>
#include <thread>
struct Rule { virtual ~Rule() = default; virtual long weigh(const long *numbers, int n) const = 0; };
struct Sum : Rule { long weigh(const long *numbers, int n) const override {
	long sum = 0;
	for (int i = 0; i < n; i++)
		sum += numbers[i];
	return sum; } };
struct Work {
	std::thread thread;
	std::mutex mutex;
	Rule *rule = new Sum;
	long given = 0, total = 0;
	void run() {
		long own[16];
		for (int i = 0; i < 16; i++)
			own[i] = i * 3;
		long weight = rule->weigh(own, 16);
		std::lock_guard<std::mutex> lock(mutex);
		total += weight != 1;
	}
	void start() { thread = std::thread(&Work::run, this); }
	~Work() { thread.join(); }
};
int main() {
	Work *one = new Work, *two = new Work;
	one->start();
	two->start();
	{
		std::lock_guard<std::mutex> lock(one->mutex);
		one->given++;
	}
	delete one;
	delete two;
	return 0;
}
P
for opt in -O1 -O2; do
	rethread c++ -std=c++17 $opt -g -pthread p.cpp -o p
	rethread analyze p >out
	has out '^  heap .* p.cpp:27 in main'
	! grep -E '^  stack +own ' out || fail "$opt: a local array is shared"
	rethread record -o trace$opt -- ./p 2>/dev/null || fail "$opt: the recorded program: $?"
	rethread dump trace$opt >/dev/null || fail "$opt: not decoded"
done
