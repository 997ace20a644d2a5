# What engine search or `hunt` found is told as what engine solve finds: the executor follows the attempt's order, so what the failure rests on is known. A publisher goes by the handlers
# that it copied in one critical section; meanwhile a view takes its own away, and is closed.
cat >bus.cpp <<'P'
#include <cassert>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
class Bus {
	std::mutex mutex_;
	std::map<int, std::function<void(int)>> handlers_;
	int next_ = 1;
public:
	int subscribe(std::function<void(int)> h) { std::lock_guard l(mutex_); handlers_.emplace(next_, std::move(h)); return next_++; }
	void unsubscribe(int id)
	{
		std::lock_guard l(mutex_);
		handlers_.erase(id); // takes it away
	}
	void publish(int e)
	{
		std::vector<std::function<void(int)>> now;
		{
			std::lock_guard l(mutex_);
			for (auto &[id, h] : handlers_) // copies
				now.push_back(h);
		}
		for (auto &h : now)
			h(e);
	}
};
class View {
	Bus &bus_;
	int id_ = 0, last_ = 0;
	std::mutex mutex_;
	bool open_ = true;
	void show(int e)
	{
		std::lock_guard l(mutex_);
		assert(open_); // shows
		last_ = e;
	}
public:
	explicit View(Bus &bus) : bus_(bus) { id_ = bus.subscribe([this](int e) { show(e); }); }
	void close()
	{
		bus_.unsubscribe(id_);
		std::lock_guard l(mutex_);
		open_ = false; // closes
	}
};
int main()
{
	Bus bus;
	std::vector<std::unique_ptr<View>> views;
	for (int i = 0; i < 30; i++)
		views.push_back(std::make_unique<View>(bus));
	std::thread source([&] { for (int i = 0; i < 50; i++) bus.publish(i); });
	for (auto &v : views) {
		std::this_thread::yield();
		v->close();
	}
	source.join();
}
P
line() { grep -n "// $1" bus.cpp | cut -d: -f1; }
told() {
	sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
	has short "In short: thread 1:1 went by what it had read in [a-z._ ]* \(bus.cpp:$(line copies)\) when it read View[^ ]*.open_ \(bus.cpp:$(line shows)\); in between thread 1 had changed the one \(bus.cpp:$(line 'takes it')\) and the other \(bus.cpp:$(line closes)\); thread 1:1 had given up bus.mutex_ by then\."
	rethread replay -n 5 "$1" >out 2>&1 || fail "$(cat out)"
	has out '^reproduced 5/5$'
}
# reproduced_by TRACE OPTIONS...: on a busy machine the executor's time may end before it has answered, so it is asked up to three times.
reproduced_by() {
	local trace=$1
	shift
	for try in 1 2 3; do
		rethread reproduce "$@" "$trace" >out 2>&1 || fail "$(cat out)"
		rethread explain "$trace" >out
		! grep -q 'went by what' out || break
	done
}
rethread c++ -std=c++20 -O2 -g -pthread bus.cpp -o bus
status 134 rethread record -q --until-failure --runs 3000 -o found ./bus 2>err
reproduced_by found --engine search --budget 60
told found
status 134 rethread hunt -q -o hunted ./bus 2>err
reproduced_by hunted
told hunted
