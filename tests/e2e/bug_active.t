# An object whose base class ends its thread: by then the derived part is gone, and the thread calls a function that the base only declares. Those of earlier
# objects did not, and had used a vector that was gone: what they read there, and where they must not have come, decides which order it was.
cat >active.cpp <<'P'
/* An active object; the base class joins its thread. */
#include <atomic>
#include <memory>
#include <thread>
#include <vector>
class Active {
public:
	virtual ~Active()
	{
		stop = true;
		t.join();
	}
	void start() { t = std::thread([this] { while (!stop && step()) {} }); }
protected:
	virtual bool step() = 0;
	std::atomic<bool> stop{false};
private:
	std::thread t;
};
class Counter : public Active {
public:
	explicit Counter(int n) : values(n) {}
	~Counter() override { while (busy == 0) std::this_thread::yield(); }
private:
	bool step() override
	{
		busy = 1;
		values[at % values.size()] += at;
		bool more = ++at < 400;
		if (!more || stop) {
			busy = 2;
			return false;
		}
		return true;
	}
	std::vector<long> values;
	size_t at = 0;
	std::atomic<int> busy{0};
};
int main()
{
	for (int i = 0; i < 20; i++) {
		auto c = std::make_unique<Counter>(4 + i);
		c->start();
		for (volatile int k = 0; k < 5000; k++) {}
	}
}
P
ENGINE=solve FLAGS=-std=c++17 proven active.cpp
