# std::map, std::set, std::list and the unordered containers: what libstdc++ does to them is the program's own code, so it can be inferred.
cat >sound.cpp <<'P'
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <unordered_set>
#include <vector>

/* Black nodes on the way down; parents and colours are right. */
static int height(const std::_Rb_tree_node_base *x)
{
	if (!x)
		return 1;
	bool red = x->_M_color == std::_S_red;
	for (const std::_Rb_tree_node_base *y : {x->_M_left, x->_M_right}) {
		assert(!y || y->_M_parent == x);
		assert(!y || !red || y->_M_color == std::_S_black);
	}
	int left = height(x->_M_left), right = height(x->_M_right);
	assert(left == right);
	return left + !red;
}

static void trees()
{
	std::multimap<int, int> m;
	std::vector<int> keys;
	for (int i = 0; i < 3000; i++) {
		if (rand() % 5 < 3 || keys.empty()) {
			keys.push_back(rand() % 200);
			m.insert({keys.back(), i});
		} else {
			size_t at = rand() % keys.size();
			m.erase(m.find(keys[at]));
			keys.erase(keys.begin() + at);
		}
		height(m.end()._M_node->_M_parent);
		if (i % 50)
			continue;
		std::vector<int> sorted = keys, up, down;
		std::sort(sorted.begin(), sorted.end());
		for (auto &e : m)
			up.push_back(e.first);
		for (auto e = m.rbegin(); e != m.rend(); ++e)
			down.insert(down.begin(), e->first);
		assert(up == sorted && down == sorted);
	}
	while (!m.empty()) {
		m.erase(rand() % 2 ? m.begin() : std::prev(m.end()));
		height(m.end()._M_node->_M_parent);
	}
}

static void lists()
{
	std::list<int> a, b;
	for (int i = 0; i < 50; i++) {
		a.push_back(i);
		if (i % 3 == 0)
			a.pop_front();
	}
	const std::list<int> copy(a);
	a.reverse();
	assert(a.front() == 49);
	a.sort();
	assert(a == copy);
	b.splice(b.begin(), a, std::next(a.begin()), std::prev(a.end()));
	assert(a.size() == 2 && b.size() == copy.size() - 2);
	b.merge(a);
	assert(b == copy && a.empty());
	b.swap(a);
	assert(a == copy && b.empty());
}

static void tables()
{
	for (float load : {1.0f, 0.7f, 2.5f}) {
		std::unordered_multiset<int> s;
		s.max_load_factor(load);
		size_t buckets = 0;
		for (int i = 0; i < 3000; i++) {
			if (i == 1000)
				s.reserve(5000);
			if (i == 2000)
				s.rehash(0);
			s.insert(i % 700);
			if (i % 7 == 0)
				s.erase(s.begin());
			if (buckets != s.bucket_count())
				std::printf("%d: %zu\n", i, buckets = s.bucket_count());
		}
	}
}

int main()
{
	trees();
	lists();
	tables();
}
P
clang++-19 -O1 -o plain sound.cpp
for opt in -O0 -O2; do
	rethread c++ $opt -g -pthread -o sound sound.cpp
	same "$(./sound)" "$(./plain)"
	! nm -D sound | grep '_ZSt29_Rb_tree_insert_and_rebalance' || fail "the library's own are used, or it would use the program's"
	! nm -D sound | grep '_M_need_rehash' || fail "the library's own policy is used, or it would use the program's"
done
RETHREAD_KEEP_SHARED=libstdc++.so.6 rethread c++ -O0 -g -pthread -o sound sound.cpp
./sound
nm sound | grep -q ' W _ZSt29_Rb_tree_insert_and_rebalance' && fail "RETHREAD_KEEP_SHARED is not heeded"
# A map under a lock whose order is not recorded, and a list without one; whatever happened, it can be inferred.
cat >shared.cpp <<'P'
#include <cstdlib>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <unistd.h>

static std::map<int, int> numbers;
static std::list<int> order;
static std::mutex lock;
static volatile int small;

static void work(int who)
{
	for (int i = 0; i < 12; i++) {
		usleep(1);
		{
			std::lock_guard<std::mutex> held(lock);
			numbers[(i * 7 + who * 5) % 13]++;
			if (numbers.begin()->second > 1)
				numbers.erase(numbers.begin());
			small += numbers.size() < 5;
		}
		usleep(1);
		order.push_back(i);
	}
}

int main()
{
	std::thread a(work, 0), b(work, 1);
	a.join();
	b.join();
	abort();
}
P
rethread c++ -O2 -g -pthread -o shared shared.cpp
for scheme in path path+sync path; do
	rethread record -q --scheme $scheme ./shared || true
	rethread reproduce --engine solve --budget 40 >out 2>&1 || fail "$scheme: $(cat out)"
done
