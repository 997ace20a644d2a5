// For eval/real.sh: jobs of ZNC's pool of threads, which come back through a pipe, and of which some are cancelled. Prints how many were done.
#include <znc/Threads.h>
#include <znc/Utils.h>

#include <poll.h>

#include <atomic>
#include <cstdio>
#include <thread>

// What the log of debugging asks for; the rest of znc is not needed.
timeval CUtils::GetTime()
{
	return {};
}

static int done;
static std::atomic<int> gone;

class sum : public CJob
{
	long total = 0;

public:
	~sum() override { gone++; }
	void runThread() override
	{
		for (int i = 0; i < 50 && !wasCancelled(); i++)
			total += i;
	}
	void runMain() override { done += total == 50 * 49 / 2; }
};

int main()
{
	enum { ROUNDS = 20, JOBS = 3 };
	CThreadPool &pool = CThreadPool::Get();
	for (int i = 0; i < ROUNDS; i++) {
		CJob *last = nullptr;
		for (int k = 0; k < JOBS; k++)
			pool.addJob(last = new sum);
		std::this_thread::yield();
		pool.cancelJob(last);
		for (pollfd p = {pool.getReadFD(), POLLIN, 0}; gone < (i + 1) * JOBS && poll(&p, 1, -1) == 1;)
			pool.handlePipeReadable();
	}
	std::printf("%d jobs gone\n", gone.load());
	return done >= ROUNDS * (JOBS - 1) ? 0 : 1;
}
