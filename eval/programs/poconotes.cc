/*
 * For eval/real.sh: workers of Poco's thread pool wait for notifications of its queue; two producers send them. Prints the sum of
 * what came.
 */
#include "Poco/AutoPtr.h"
#include "Poco/Notification.h"
#include "Poco/NotificationQueue.h"
#include "Poco/Runnable.h"
#include "Poco/Thread.h"
#include "Poco/ThreadPool.h"

#include <atomic>
#include <cassert>
#include <cstdio>
#include <vector>

using namespace Poco;

struct Job : Notification {
	typedef AutoPtr<Job> Ptr;
	explicit Job(int n) : number(n) {}
	int number;
};

static const int producers = 2, workers = 3, jobs = 40;
static std::atomic<long> sum;

struct Worker : Runnable {
	explicit Worker(NotificationQueue &q) : queue(q) {}
	void run() override
	{
		for (;;) {
			Notification::Ptr n(queue.waitDequeueNotification());
			if (!n)
				break;
			if (Job *job = dynamic_cast<Job *>(n.get()))
				sum += job->number;
		}
	}
	NotificationQueue &queue;
};

struct Producer : Runnable {
	explicit Producer(NotificationQueue &q) : queue(q) {}
	void run() override
	{
		for (int i = 1; i <= jobs; i++)
			queue.enqueueNotification(new Job(i));
	}
	NotificationQueue &queue;
};

int main()
{
	NotificationQueue queue;
	ThreadPool pool(2, 8);
	Worker worker(queue);
	Producer producer(queue);
	std::vector<Thread> sending(producers);
	for (int i = 0; i < workers; i++)
		pool.start(worker);
	for (auto &t : sending)
		t.start(producer);
	for (auto &t : sending)
		t.join();
	while (!queue.empty())
		Thread::sleep(1);
	queue.wakeUpAll();
	while (pool.used()) {
		Thread::sleep(1);
		queue.wakeUpAll();
	}
	pool.joinAll();
	std::printf("%ld\n", sum.load());
	assert(sum == producers * jobs * (jobs + 1) / 2);
}
