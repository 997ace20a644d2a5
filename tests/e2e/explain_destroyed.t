# A base class that stops its thread in its destructor: by then the derived part is gone, and the thread calls what is no longer there.
cat >service.cpp <<'P'
#include <atomic>
#include <cstdio>
#include <thread>
class Service {
public:
	virtual ~Service()
	{
		stopping = true;
		thread.join();
	}
	void start() { thread = std::thread([this] { loop(); }); }
protected:
	virtual void handle() = 0;
private:
	void loop()
	{
		while (!stopping)
			std::this_thread::yield();
		handle(); // what is left to do
	}
	std::atomic<bool> stopping{false};
	std::thread thread;
};
class Echo : public Service {
	void handle() override { std::puts("done"); }
};
int main()
{
	Echo echo;
	echo.start();
}
P
for opt in -O0 -O2; do
	rethread c++ -std=c++17 $opt -g -pthread service.cpp -o service
	status 134 rethread record -q -o t$opt ./service 2>err
	rethread reproduce --engine solve --budget 30 t$opt >out 2>&1 || fail "$(cat out)"
	rethread explain t$opt | tr -s ' \n' ' ' >out
	has out 'In short: thread 1:1 called a virtual function of echo \(service.cpp:19\) when thread 1 was destroying that already: ~Service had begun \(service.cpp:(7|8)\)\.'
done

# A base class that starts its thread in its constructor: the derived part is not there yet.
cat >early.cpp <<'P'
#include <atomic>
#include <cstdio>
#include <thread>
static std::atomic<bool> looked;
class Service {
public:
	Service()
		: thread([this] { loop(); })
	{
		while (!looked)
			std::this_thread::yield();
	}
	virtual ~Service() { thread.join(); }
protected:
	virtual void handle() = 0;
private:
	void loop()
	{
		handle();
		looked = true;
	}
	std::thread thread;
};
class Echo : public Service {
	void handle() override { std::puts("done"); }
};
int main()
{
	Echo *echo = new Echo;
	delete echo;
}
P
for opt in -O0 -O2; do
	rethread c++ -std=c++17 $opt -g -pthread early.cpp -o early
	status 134 rethread record -q -o e$opt ./early 2>err
	rethread reproduce --engine solve --budget 30 e$opt >out 2>&1 || fail "$(cat out)"
	rethread explain e$opt | tr -s ' \n' ' ' >out
	has out 'In short: thread 1:1 called a virtual function of Echo \(early.cpp:19\) when thread 1 was still making that: it had come to the constructor of Service \(early.cpp:(7|8|9)\)\.'
done

# Who calls a function of an object that is complete, and fails in there, came in time.
cat >late.cpp <<'P'
#include <cstdlib>
#include <thread>
struct Service {
	virtual ~Service() = default;
	virtual void handle()
	{
		std::abort();
	}
};
int main()
{
	Service *service = new Service;
	std::thread([service] {
		service->handle();
	}).join();
}
P
rethread c++ -std=c++17 -g -pthread late.cpp -o late
status 134 rethread record -q -o late.t ./late 2>err
rethread reproduce --engine solve --budget 30 late.t >out 2>&1 || fail "$(cat out)"
rethread explain late.t >out
! grep -q 'still making' out || fail "$(cat out)"
