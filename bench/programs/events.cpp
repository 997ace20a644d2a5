/*
 * events THREADS SHOPS: shops with a line and two clerks, which threads take turns at; each is a queue of events, functions that are called when their time has come. Prints how long
 * customers wait.
 */
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <queue>
#include <random>
#include <thread>
#include <vector>

struct event {
	double at;
	int number;
	std::function<void()> act;
	bool operator<(const event &o) const { return at > o.at || (at == o.at && number > o.number); }
};

class shop {
	std::priority_queue<event> events;
	std::deque<double> line;
	double now = 0;
	int busy = 0, number = 0;
	std::mt19937 random;
	std::exponential_distribution<double> pause{1.0}, service{0.55};

	void at(double when, std::function<void()> act) { events.push({when, number++, std::move(act)}); }
	void arrive()
	{
		line.push_back(now);
		serve();
		at(now + pause(random), [this] { arrive(); });
	}
	void serve()
	{
		if (busy == 2 || line.empty())
			return;
		waited += now - line.front();
		line.pop_front();
		busy++;
		at(now + service(random), [this] {
			busy--;
			served++;
			serve();
		});
	}

public:
	int served = 0;
	double waited = 0;
	explicit shop(unsigned seed) : random(seed) {}
	void run(double until)
	{
		at(0, [this] { arrive(); });
		while (!events.empty() && events.top().at < until) {
			event e = events.top();
			events.pop();
			now = e.at;
			e.act();
		}
	}
};

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2, shops = argc > 2 ? atoi(argv[2]) : 100, next = 0;
	std::mutex m;
	double total = 0;
	std::vector<std::thread> threads;
	for (int t = 0; t < n; t++)
		threads.emplace_back([&] {
			for (;;) {
				int i;
				{
					std::lock_guard<std::mutex> hold(m);
					if (next == shops)
						return;
					i = next++;
				}
				shop s((unsigned)i);
				s.run(5000);
				std::lock_guard<std::mutex> hold(m);
				total += s.waited / s.served;
			}
		});
	for (auto &t : threads)
		t.join();
	printf("%.4f\n", total / shops);
}
