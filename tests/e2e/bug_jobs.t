# A scheduler of jobs that are copied (shared_ptr) before there is any thread, when counting them takes no atomic instruction; its check
# aborts in two lines, which the code generator would make one of.
cat >jobs.cpp <<'P'
// A job scheduler: jobs depend on others; a finished job lowers the counts of those that wait for it, and queues those whose count is 0.
// Bug: cancel() looks at the state without the lock and may take a job out that a worker has just begun.
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <thread>
#include <vector>

enum class State { waiting, queued, running, done, cancelled };

struct Job {
	int id;
	State state = State::waiting;
	int missing = 0;
	int runs = 0;
	std::vector<std::shared_ptr<Job>> next;
};

class Scheduler {
	std::mutex lock;
	std::condition_variable ready;
	std::queue<std::shared_ptr<Job>> queue;
	std::map<int, std::shared_ptr<Job>> jobs;
	int left = 0;

	void release(const std::shared_ptr<Job> &j) { // with the lock
		left--;
		for (auto &n : j->next)
			if (--n->missing == 0) {
				n->state = State::queued;
				queue.push(n);
			}
		ready.notify_all();
	}

public:
	std::shared_ptr<Job> add(int id) {
		auto j = std::make_shared<Job>();
		j->id = id;
		jobs[id] = j;
		left++;
		return j;
	}
	void depends(int id, int on) {
		jobs.at(on)->next.push_back(jobs.at(id));
		jobs.at(id)->missing++;
	}
	void start() {
		for (auto &[id, j] : jobs)
			if (!j->missing) {
				j->state = State::queued;
				queue.push(j);
			}
	}
	void work() {
		std::unique_lock<std::mutex> l(lock);
		while (left > 0) {
			ready.wait(l, [&] { return !queue.empty() || left <= 0; });
			if (left <= 0)
				break;
			auto j = queue.front();
			queue.pop();
			if (j->state == State::cancelled)
				continue;
			l.unlock();
			j->state = State::running;
			volatile int spin = 0;
			for (int i = 0; i < 200 + j->id % 5 * 100; i++)
				spin = spin + i;
			l.lock();
			j->runs++;
			j->state = State::done;
			release(j);
		}
		ready.notify_all();
	}
	void cancel(int id) {
		auto j = jobs.at(id);
		if (j->state == State::queued || j->state == State::waiting) { // without the lock
			std::this_thread::yield();
			std::lock_guard<std::mutex> l(lock);
			j->state = State::cancelled;
			release(j);
		}
	}
	void check() {
		if (left != 0) {
			std::fprintf(stderr, "%d jobs are left after the end\n", left);
			std::abort();
		}
		for (auto &[id, j] : jobs)
			if (j->runs > 1 || j->missing != 0) {
				std::fprintf(stderr, "job %d: %d runs, %d missing\n", id, j->runs, j->missing);
				std::abort();
			}
	}
};

int main() {
	Scheduler s;
	for (int i = 0; i < 60; i++)
		s.add(i);
	for (int i = 6; i < 60; i++) {
		s.depends(i, i - 6);
		if (i % 4 == 0)
			s.depends(i, i - 5);
	}
	s.start();
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([&] { s.work(); });
	for (int i = 55; i < 60; i++)
		s.cancel(i);
	for (auto &t : threads)
		t.join();
	s.check();
}
P
FLAGS=-std=c++20 ENGINE=solve proven jobs.cpp
