// For eval/real.sh: handlers of events that threads of libfilezilla's run, and that go while events may still be on their way. Prints how many came.
#include <libfilezilla/event_handler.hpp>
#include <libfilezilla/event_loop.hpp>
#include <libfilezilla/thread_pool.hpp>

#include <atomic>
#include <cstdio>
#include <memory>

struct word_type;
typedef fz::simple_event<word_type, int> word;

static std::atomic<int> wrong;

class counter final : public fz::event_handler
{
public:
	explicit counter(fz::event_loop &loop) : fz::event_handler(loop), sums_(new int[4]()) {}
	~counter() override
	{
		remove_handler();
		sums_.reset();
	}

private:
	void operator()(fz::event_base const &e) override { fz::dispatch<word>(e, this, &counter::add); }
	void add(int n)
	{
		for (int i = 0; i < 4; i++)
			sums_[i] += n;
		if (sums_[0] != sums_[3])
			wrong++;
	}
	std::unique_ptr<int[]> sums_;
};

int main()
{
	enum { ROUNDS = 20, EVENTS = 3 };
	fz::thread_pool pool;
	fz::event_loop first(pool), second(pool);
	auto work = [](fz::event_loop &loop) {
		for (int i = 0; i < ROUNDS; i++) {
			auto handler = std::make_unique<counter>(loop);
			for (int k = 0; k < EVENTS; k++)
				handler->send_event<word>(k + 1);
		}
	};
	{
		auto other = pool.spawn([&] { work(first); });
		work(second);
	}
	std::printf("%d wrong\n", wrong.load());
	return wrong ? 1 : 0;
}
