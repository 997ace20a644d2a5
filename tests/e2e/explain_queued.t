# A pointer that was queued before the block was freed is one from before that, though the thread that follows it takes it out of the queue only afterwards, when the memory
# is another object's. What has no name of its own, or that of what lay there afterwards, is told by where the thread had the pointer from.
cat >queued.cpp <<'P'
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
struct job {
	long id;
	long parts[5];
};
static std::mutex m;
static job *queue[4];
static int n;
static std::atomic<bool> go;
static void work()
{
	while (!go)
		std::this_thread::yield();
	job *j;
	{
		std::lock_guard<std::mutex> l(m);
		j = queue[--n];
	}
	if (j->id == 2)
		std::abort();
}
int main()
{
	std::thread t(work);
	job *first = new job{1, {}};
	{
		std::lock_guard<std::mutex> l(m);
		queue[n++] = first;
	}
	delete first; // still queued
	job *next = queue[3] = new job{2, {}};
	go = true;
	t.join();
	delete next;
}
P
rethread c++ -O2 -g -pthread queued.cpp -o queued
status 134 rethread record -q ./queued 2>err
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "not inferred: $(cat out)"
rethread explain | tr -s ' \n' ' ' >text
has text 'In short: thread 1:1 read job(#[0-9]+)?.id \(queued.cpp:22\) after thread 1 had freed it \(queued.cpp:33\)\.'
cat >index.cpp <<'P'
#include <algorithm>
#include <condition_variable>
#include <iostream>
#include <map>
#include <mutex>
#include <queue>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>
class Interner {
public:
	std::string_view intern(const std::string &word)
	{
		std::lock_guard g(lock);
		auto it = std::find(words.begin(), words.end(), word);
		if (it == words.end())
			it = words.insert(words.end(), word);
		return *it;
	}
private:
	std::mutex lock;
	std::vector<std::string> words;
};
class Index {
public:
	void add(std::string_view word, int document)
	{
		std::lock_guard g(lock);
		documents[std::string(word)].push_back(document);
	}
	auto begin() const { return documents.begin(); }
	auto end() const { return documents.end(); }
private:
	std::mutex lock;
	std::map<std::string, std::vector<int>> documents;
};
static const char *const corpus[] = {
	"the quick brown fox jumps over the lazy dog",
	"a quick tour of the brown bear country",
	"lazy evaluation in a functional country",
	"the dog that jumps over a functional bear",
	"tour guides quick to evaluate the fox",
	"over the hills and far away the bear sings",
};
int main()
{
	for (int round = 0; round < 10; round++) {
		Interner interner;
		Index index;
		auto scan = [&](int from) {
			for (int d = from; d < 6; d += 2) {
				std::istringstream in(corpus[d]);
				for (std::string w; in >> w;) {
					std::string_view v = interner.intern(w);
					index.add(v, d);
				}
			}
		};
		std::thread a(scan, 0), b(scan, 1);
		a.join();
		b.join();
		for (auto &[w, d] : index) {
			bool known = std::any_of(std::begin(corpus), std::end(corpus), [&w = w](const char *t) { return std::string_view(t).find(w) != std::string_view::npos; });
			if (!known) {
				std::cerr << "the index has a word that no text has\n";
				return 1;
			}
		}
	}
	std::cout << "indexed\n";
}
P
rethread c++ -std=c++20 -O2 -g -pthread index.cpp -o index
for i in 1 2 3 4 5 6; do
	status 1 rethread record -q --until-failure --runs 2000 ./index 2>err
	rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "not inferred: $(cat out)"
	rethread explain | tr -s ' \n' ' ' >text
	has text 'In short: thread 1:[0-9]+ read [^()]*interner.words[^()]* \(index.cpp:[0-9]+\) after thread 1:[0-9]+ had freed it'
done
