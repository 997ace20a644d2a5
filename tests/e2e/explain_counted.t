# Semaphores, references and stop tokens are counted between what really went wrong: a chute is looked for under a lock, and opened under it
# later, when somebody else has opened it.
cat >p.cpp <<'P'
#include <cassert>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>
struct Chute {
	std::mutex mutex;
	int parcels = 0;
	void drop() { std::scoped_lock lock(mutex); parcels++; }
};
static std::shared_mutex doors;
static std::map<std::string, std::shared_ptr<Chute>> chutes;
static std::shared_ptr<Chute> chute(const std::string &town) {
	{
		std::shared_lock lock(doors);
		if (auto found = chutes.find(town); found != chutes.end()) /* looks */
			return found->second;
	}
	auto fresh = std::make_shared<Chute>();
	std::unique_lock lock(doors);
	chutes.insert_or_assign(town, fresh); /* opens */
	return fresh;
}
static std::mutex belt;
static std::queue<std::string> parcels;
static std::counting_semaphore<> filled{0};
static bool take(std::string &town, std::stop_token stop) {
	while (!filled.try_acquire_for(std::chrono::milliseconds(1)))
		if (stop.stop_requested())
			return false;
	std::scoped_lock lock(belt);
	town = parcels.front();
	parcels.pop();
	return true;
}
int main() {
	{
		std::vector<std::jthread> workers;
		for (int i = 0; i < 3; i++)
			workers.emplace_back([](std::stop_token stop) {
				std::string town;
				while (take(town, stop))
					chute(town)->drop();
			});
		for (int i = 0; i < 60; i++) {
			std::scoped_lock lock(belt);
			parcels.push(std::string(1, (char)('A' + i / 2 % 6)));
			filled.release();
		}
		std::this_thread::sleep_for(std::chrono::milliseconds(5));
	}
	int n = 0;
	for (auto &[town, c] : chutes)
		n += c->parcels;
	assert(n == 60);
}
P
rethread c++ -std=c++20 -O2 -g -pthread p.cpp -o p
rethread record -o trace --until-failure --runs 5000 --timeout 10 -- ./p >/dev/null 2>&1 && fail "it never failed"
rethread reproduce trace >out 2>&1 || fail "not reproduced: $(cat out)"
rethread explain trace >out
head -n 14 out >first
has first 'Who came in between'
has first '/\* looks \*/'
has first '/\* opens \*/'
has first 'doors locked, which thread 1:[123] gave up between its two accesses'
