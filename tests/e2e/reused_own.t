# Memory that is shared at times and at others a thread's own: what is stored there then, by code that no other thread's memory comes to, counts, too.
# A queue of shared pointers grows, the last one of which goes to all threads now and then.
cat >p.cpp <<'P'
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
struct shape {
	virtual ~shape() {}
	virtual long area() = 0;
};
struct square : shape {
	std::string name = "sq";
	long area() override { return (long)name.size(); }
};
struct link : shape {
	std::vector<int> points;
	std::weak_ptr<shape> other;
	long area() override
	{
		auto p = other.lock();
		return p ? p->area() : (long)points.size();
	}
};
static std::shared_ptr<shape> latest;
static std::mutex m;
static volatile long marks;
static long work(long id)
{
	std::vector<std::shared_ptr<shape>> all;
	std::vector<std::function<long(long)>> sums;
	for (int i = 0; i < 30; i++) {
		if (i % 2) {
			all.push_back(std::make_shared<square>());
		} else {
			auto l = std::make_shared<link>();
			if (i)
				l->other = all[i / 2];
			all.push_back(l);
		}
		auto last = all.back();
		if (i % 3)
			sums.push_back([last, i](long x) { return x + last->area() + i; });
		else
			sums.push_back([=](long x) { return x * 2 + id; });
		if (i % 10 == 0) {
			std::lock_guard<std::mutex> g(m);
			latest = last;
		}
		if (i % 4 == 0)
			all[i / 3].reset(new square);
		if (dynamic_cast<square *>(last.get()))
			marks = marks + 1;
	}
	long r = 0;
	for (auto &s : sums)
		r = s(r) % 1000;
	return r;
}
int main()
{
	std::thread a([] { work(1), work(1); }), b([] { work(2), work(2); });
	a.join();
	b.join();
	abort();
}
P
rethread c++ -w -O0 -g -pthread -o p p.cpp
for i in 1 2 3 4 5 6; do
	status 134 rethread record -q ./p
	rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
done
