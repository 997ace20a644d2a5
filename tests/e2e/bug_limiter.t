# Racy doubles, clocks, and an exception that nobody catches: std::terminate aborts inside of libstdc++.
cat >limiter.cpp <<'P'
// A token bucket: what was tested in one critical section is taken in another.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

class Bucket {
public:
	using clock = std::chrono::steady_clock;
	Bucket(double rate, double burst) : rate_(rate), burst_(burst), tokens_(burst), last_(clock::now()) {}
	bool take(double n) {
		refill();
		if (tokens_ < n) // bug: without the lock
			return false;
		for (volatile int i = 0; i < 100; i++) {}
		std::lock_guard<std::mutex> g(m_);
		tokens_ -= n;
		if (tokens_ < -1e-9)
			throw std::logic_error("bucket overdrawn");
		return true;
	}
private:
	void refill() {
		std::lock_guard<std::mutex> g(m_);
		auto now = clock::now();
		std::chrono::duration<double> dt = now - last_;
		last_ = now;
		tokens_ = std::fmin(burst_, tokens_ + dt.count() * rate_);
	}
	std::mutex m_;
	double rate_, burst_, tokens_;
	clock::time_point last_;
};

int main() {
	Bucket b(2e5, 3.0);
	std::vector<std::thread> ts;
	long granted[3] = {};
	for (int i = 0; i < 3; i++)
		ts.emplace_back([&, i] {
			for (int k = 0; k < 600; k++)
				granted[i] += b.take(1.0 + 0.25 * i);
		});
	for (auto &t : ts)
		t.join();
	std::printf("%ld %ld %ld\n", granted[0], granted[1], granted[2]);
}
P
ENGINE=solve proven limiter.cpp
