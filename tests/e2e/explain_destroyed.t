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
