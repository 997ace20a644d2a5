# Without optimisation the functions of std::atomic are not inlined, and strict aliasing tells nothing; a variable of that type is called by its own name all the same,
# and is no element of anything.
cat >bucket.cpp <<'P'
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>
class TokenBucket {
public:
	TokenBucket(double capacity, double rate) : capacity_(capacity), rate_(rate), tokens_(capacity) {}
	bool try_take(double n)
	{
		if (tokens_.load() < n)
			return false;
		double have = tokens_.load();
		while (!tokens_.compare_exchange_weak(have, have - n)) {
		}
		return true;
	}
	void tick()
	{
		double have = tokens_.load();
		double then;
		do
			then = have + rate_ < capacity_ ? have + rate_ : capacity_;
		while (!tokens_.compare_exchange_weak(have, then));
	}
	double level() const { return tokens_.load(); }
private:
	const double capacity_, rate_;
	std::atomic<double> tokens_;
};
class Gateway {
public:
	Gateway(std::string name, std::shared_ptr<TokenBucket> bucket) : name_(std::move(name)), bucket_(std::move(bucket)) {}
	void serve(int requests)
	{
		for (int i = 0; i < requests; ++i)
			if (bucket_->try_take(1.0))
				++accepted_;
			else
				++refused_;
	}
	int accepted() const { return accepted_; }
private:
	std::string name_;
	std::shared_ptr<TokenBucket> bucket_;
	int accepted_ = 0, refused_ = 0;
};
int main()
{
	auto bucket = std::make_shared<TokenBucket>(10.0, 2.5);
	std::vector<std::unique_ptr<Gateway>> gateways;
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; ++i)
		gateways.emplace_back(new Gateway("gw" + std::to_string(i), bucket));
	for (auto &g : gateways)
		threads.emplace_back([&g] { g->serve(200); });
	std::thread clock([&] {
		for (int i = 0; i < 100; ++i) {
			bucket->tick();
			std::this_thread::yield();
		}
	});
	double lowest = 0;
	for (int i = 0; i < 300; ++i)
		lowest = std::min(lowest, bucket->level());
	clock.join();
	for (auto &t : threads)
		t.join();
	lowest = std::min(lowest, bucket->level());
	if (lowest < 0) {
		std::cerr << "the bucket was overdrawn\n";
		return 2;
	}
	return 0;
}
P
rethread c++ -std=c++11 -O0 -g -pthread bucket.cpp -o bucket
status 2 rethread hunt -q --runs 300 ./bucket 2>err
rethread reproduce --budget 30 >out 2>&1 || fail "not followed: $(cat out)"
rethread explain >out
has out 'read TokenBucket(#[0-9])?.tokens_: [0-9.-]+'
! grep -q 'element of' out || fail "$(cat out)"

# What a std::atomic<std::shared_ptr> leads to is not the variable, though the line calls something on that, too.
cat >leads.cpp <<'P'
#include <atomic>
#include <cassert>
#include <memory>
#include <string>
#include <thread>
#include <vector>
struct Settings {
	std::vector<std::string> names{"a name that is long enough", "another one that is long enough"};
};
static std::atomic<std::shared_ptr<Settings>> settings;
static void change(std::string &name) { name[0] = 'A'; }
int main()
{
	settings.store(std::make_shared<Settings>());
	std::thread writer([] {
		std::shared_ptr<Settings> own = settings.load();
		change(own->names.at(1));
	});
	writer.join();
	bool same = settings.load()->names.at(1) == "another one that is long enough";
	assert(same);
}
P
rethread c++ -std=c++20 -O0 -g -pthread leads.cpp -o leads
status 134 rethread record -q -o leads.t ./leads 2>err
rethread reproduce --engine solve --budget 30 leads.t >out 2>&1 || fail "$(cat out)"
rethread explain leads.t >out
has out '^In short: thread 1 found .* = "Another " \(leads.cpp:20\)'
! grep -E 'settings( #[0-9])? = "|found settings|settings #' out || fail "$(cat out)"
