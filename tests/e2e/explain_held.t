# Memory of which only the library knows what lies there has the name of the container that the program's own code has it in: nodes of maps, what
# was not inlined, what a vector has given back, a queue in a queue; the program's own types say more.
cat >held.cpp <<'P'
#include <cassert>
#include <cstdlib>
#include <map>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
struct Account { long balance = 100; };
static std::map<std::string, int> stock;
static std::mutex door;
struct Bank {
	std::map<int, Account> accounts;
	std::unordered_map<int, int> index;
	std::vector<long> counts;
	std::queue<int> open;
	std::mutex mutex;
};
static Bank *bank_of(int);
static int count(const std::string &item) { std::lock_guard<std::mutex> l(door); return stock[item]; }
static void take(int)
{
	if (count("pear") < 1) /* asks */
		return;
	std::this_thread::yield();
	std::lock_guard<std::mutex> l(door);
	assert(--stock["pear"] >= 0); /* takes */
}
static void withdraw(int)
{
	Bank &b = *bank_of(0);
	if (b.accounts.at(1).balance < 100) /* asks */
		return;
	std::this_thread::yield();
	std::lock_guard<std::mutex> l(b.mutex);
	b.accounts.at(1).balance -= 100; /* takes */
	assert(b.accounts.at(1).balance >= 0);
}
static void add(int who)
{
	Bank &b = *bank_of(0);
	for (int i = 0; i < 5; i++) {
		{
			std::lock_guard<std::mutex> l(b.mutex);
			if (b.index.count(i))
				continue;
		}
		std::this_thread::yield();
		std::lock_guard<std::mutex> l(b.mutex);
		if (!b.index.emplace(i, who).second)
			abort();
	}
}
static void grow(int who)
{
	Bank &b = *bank_of(0);
	if (who) {
		b.counts.resize(4000);
		return;
	}
	for (int i = 0; i < 2000; i++)
		b.counts[0]++; /* counts */
}
static void next(int)
{
	Bank &b = *bank_of(0);
	bool any;
	{
		std::lock_guard<std::mutex> l(b.mutex);
		any = !b.open.empty(); /* asks */
	}
	if (!any)
		return;
	std::this_thread::yield();
	std::lock_guard<std::mutex> l(b.mutex);
	if (b.open.empty()) /* asks again */
		abort();
	b.open.pop(); /* takes */
}
static void tally(int)
{
	std::vector<long> &counts = bank_of(0)->counts;
	for (int i = 0; i < 20; i++)
		counts[2]++;
}
static Bank bank;
static Bank *bank_of(int) { return &bank; }
int main(int argc, char **argv)
{
	static void (*const all[])(int) = {take, withdraw, add, grow, next, tally};
	stock["apple"] = 3;
	stock["pear"] = 1;
	bank.accounts[1].balance = 100;
	bank.counts.resize(4);
	bank.open.push(1);
	void (*f)(int) = all[atoi(argv[argc - 1])];
	std::thread a(f, 0), b(f, 1);
	a.join();
	b.join();
	assert(f != tally || bank.counts[2] == 40);
}
P
line() { grep -n "$1" held.cpp | head -1 | cut -d: -f1; }
for opt in -O2 -O0; do
	rethread c++ -std=c++17 $opt -g -pthread held.cpp -o held
	# What a vector has are numbers, and their places are known.
	status 134 rethread hunt -q --runs 2000 -o "t$opt.vector" ./held 5 2>err
	rethread reproduce --budget 30 "t$opt.vector" >out 2>&1 || fail "$(cat out)"
	rethread explain "t$opt.vector" >out
	sed '/^Who came/,$d' out | tr -s ' \n' ' ' >short
	has short 'In short: thread 1:[12] overwrote \(held.cpp:[0-9]*\) what thread 1:[12] had written to bank.counts\[2\] \(held.cpp:[0-9]*\)'
	for one in '0 stock ' '1 Account.balance ' '2 bank.index ' '4 bank.open '; do
		status 134 rethread hunt -q --runs 2000 -o "t$opt${one%% *}" ./held "${one%% *}" 2>err
		rethread reproduce --budget 30 "t$opt${one%% *}" >out 2>&1 || fail "$(cat out)"
		rethread explain "t$opt${one%% *}" >out
		sed '/^Who came/,$d' out | tr -s ' \n' ' ' >short
		has short "In short: thread 1:[12] (read|overwrote|went by what it had read in) .*${one#* }\(held.cpp:[0-9]*\)"
		! grep -E '_M_|std::|a node of|block (#[0-9]* )?of' short || fail "the library's names: $one $(cat short)"
	done
done
