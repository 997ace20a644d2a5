# Files read line by line in tasks of a pool: futures that carry an exception to another thread, and the table of characters that the first
# thread to read a line fills. A total is kept under several locks.
cat >words.cpp <<'P'
// Bug: the number of words is kept under whichever lock the word belongs to.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
namespace wc {
using Counts = std::unordered_map<std::string, int>;
class Pool {
	std::deque<std::packaged_task<Counts()>> tasks;
	std::vector<std::thread> threads;
	std::mutex m;
	std::condition_variable cv;
	bool stop = false;
public:
	explicit Pool(unsigned n) { for (unsigned i = 0; i < n; i++) threads.emplace_back([this] { run(); }); }
	std::future<Counts> submit(std::function<Counts()> f) {
		std::packaged_task<Counts()> t(std::move(f));
		auto r = t.get_future();
		{ std::lock_guard<std::mutex> l(m); tasks.push_back(std::move(t)); }
		cv.notify_one();
		return r;
	}
	~Pool() { { std::lock_guard<std::mutex> l(m); stop = true; } cv.notify_all(); for (auto &t : threads) t.join(); }
private:
	void run() {
		for (;;) {
			std::packaged_task<Counts()> t;
			{
				std::unique_lock<std::mutex> l(m);
				cv.wait(l, [this] { return stop || !tasks.empty(); });
				if (tasks.empty()) return;
				t = std::move(tasks.front());
				tasks.pop_front();
			}
			t();
		}
	}
};
struct Shard { std::mutex lock; std::map<std::string, long> totals; };
class Totals {
	std::vector<Shard> shards;
	long words = 0; // guarded by nothing
public:
	explicit Totals(size_t n) : shards(n) {}
	void add(const Counts &c) {
		for (auto &[w, n] : c) {
			Shard &s = shards[std::hash<std::string>{}(w) % shards.size()];
			std::lock_guard<std::mutex> l(s.lock);
			s.totals[w] += n;
			words += n;
		}
	}
	long all() const { long t = 0; for (auto &s : shards) for (auto &[w, n] : s.totals) t += n; return t; }
	long counted() const { return words; }
};
Counts count(const std::string &file) {
	std::ifstream in(file);
	if (!in) throw std::runtime_error("cannot read " + file);
	Counts c;
	std::string line;
	while (std::getline(in, line)) {
		std::istringstream words(line);
		std::string w;
		while (words >> w) {
			std::transform(w.begin(), w.end(), w.begin(), [](unsigned char ch) { return std::tolower(ch); });
			c[w]++;
		}
	}
	return c;
}
}
int main(int argc, char **argv) {
	using namespace wc;
	Totals totals(4);
	std::vector<std::future<Counts>> parts;
	Pool pool(3);
	for (int i = 1; i < argc; i++)
		parts.push_back(pool.submit([&totals, file = std::string(argv[i])] { auto c = count(file); totals.add(c); return c; }));
	size_t distinct = 0;
	for (auto &p : parts) {
		try { distinct += p.get().size(); } catch (const std::exception &e) { std::cerr << e.what() << '\n'; }
	}
	std::cout << totals.all() << " words, " << distinct << " entries\n";
	if (totals.all() != totals.counted()) { std::cerr << "lost " << totals.all() - totals.counted() << '\n'; return 1; }
}
P
for i in 1 2 3 4 5 6; do
	seq $((i * 7)) $((i * 7 + 150)) | sed 's/.*/the quick word & of & lines, and some more words as well/' >in$i
done
for standard in c++20 c++17; do
	HARD=2 FLAGS=-std=$standard ENGINE=solve proven words.cpp in1 in2 in3 in4 in5 in6 missing
done
