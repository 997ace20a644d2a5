# What a thread has of strings, vectors and streams of its own stays its own, although it shows them, copies them, adds up their characters and notes their capacities
# in a variable that all share: a text lies in its std::string, beside the pointer to it.
cat >p.cpp <<'P'
#include <cassert>
#include <cstdint>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
static std::mutex m;
static long total;
static int seen;
/* A thread's own: a text that grows, words that are copied, a stream. */
struct notes {
	std::string text;
	std::vector<std::uintptr_t> marks;
	std::vector<long> sizes;
};
static long work(int me)
{
	notes n;
	for (int i = 0; i < 300; i++) {
		n.text += (char)('a' + (i * 7 + me) % 26);
		if (n.text.size() % 10 == 0)
			n.sizes.push_back((long)n.text.capacity());
	}
	std::vector<long> copy = n.sizes;
	std::ostringstream out;
	out << n.text << copy.size();
	long sum = 0;
	for (size_t i = 1; i < copy.size(); i++)
		for (size_t k = i; k && copy[k - 1] < copy[k]; k--) {
			long v = copy[k];
			copy[k] = copy[k - 1];
			copy[k - 1] = v;
			sum++;
		}
	for (char c : n.text)
		if (c < 'k')
			sum += c;
	return sum;
}
static void run(int me)
{
	long sum = work(me);
	int before = seen; /* bug */
	std::lock_guard<std::mutex> hold(m);
	total += sum;
	seen = before + 1;
}
int main()
{
	std::thread a(run, 1), b(run, 2);
	a.join();
	b.join();
	assert(seen == 2);
}
P
for std in c++17 c++20; do
	rethread c++ -std=$std -O2 -g -pthread p.cpp -o p
	rethread analyze p >out
	has out ' a  *p.cpp' # a thread, which is shared
	! grep -E ' (n|out) +p.cpp' out || fail "$std: what is a thread's own counts as shared"
	! grep -E '^ +(29|30) .*recorded' out || fail "$std: what inference can compute is recorded"
	rethread record --until-failure --runs 3000 ./p 2>err && fail "$std: no failure"
	rethread reproduce --engine solve >out 2>&1 || fail "$std: $(cat out)"
	rethread replay -n 10 >out
	has out '^reproduced 10/10$'
done
