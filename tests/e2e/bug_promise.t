# Promises and futures: a thread that waits for a future sleeps inside of libstdc++, which is an input to inference.
cat >promise.cpp <<'P'
// A request is in the queue twice, and two workers fulfil it: promise_already_satisfied, which nobody catches.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

struct Request { int id; std::promise<int> result; bool done = false; };

class Service {
	std::mutex m;
	std::condition_variable cv;
	std::deque<std::shared_ptr<Request>> q;
	bool stop = false;
	std::vector<std::thread> ts;
	void work() {
		for (;;) {
			std::shared_ptr<Request> r;
			{
				std::unique_lock<std::mutex> g(m);
				cv.wait(g, [&] { return stop || !q.empty(); });
				if (q.empty())
					return;
				r = q.front();
				q.pop_front();
			}
			if (r->done) // bug: tested and set without a lock
				continue;
			for (volatile int i = 0; i < 100; i++) {}
			r->done = true;
			if (r->id % 10 == 7)
				r->result.set_exception(std::make_exception_ptr(std::invalid_argument("seven")));
			else
				r->result.set_value(r->id * r->id);
		}
	}
public:
	Service() {
		for (int i = 0; i < 2; i++)
			ts.emplace_back([this] { work(); });
	}
	~Service() {
		{
			std::lock_guard<std::mutex> g(m);
			stop = true;
		}
		cv.notify_all();
		for (auto &t : ts)
			t.join();
	}
	std::future<int> ask(int id) {
		auto r = std::make_shared<Request>();
		r->id = id;
		auto f = r->result.get_future();
		{
			std::lock_guard<std::mutex> g(m);
			q.push_back(r);
			q.push_back(r); // asked again, to be safe
		}
		cv.notify_all();
		return f;
	}
};

int main() {
	Service s;
	long sum = 0;
	int failed = 0;
	for (int i = 0; i < 300; i++) {
		auto f = s.ask(i % 20);
		try {
			sum += f.get();
		} catch (const std::invalid_argument &) {
			failed++;
		}
	}
	std::printf("%ld %d\n", sum, failed);
}
P
ENGINE=solve HARD=2 BUDGET=20 proven promise.cpp
