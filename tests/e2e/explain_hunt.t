# Of a deadlock that `hunt` finds, and of hangs that engine search finds, it is told who waits for what, who has that, and in which lines.
cat >circle.cpp <<'P'
#include <mutex>
#include <thread>
struct Account { std::mutex m; long balance = 100; };
static Account alice, bob, carol;
static void transfer(Account &from, Account &to)
{
	std::lock_guard<std::mutex> f(from.m);
	std::lock_guard<std::mutex> t(to.m);
	from.balance--;
	to.balance++;
}
int main()
{
	std::thread a([] { transfer(alice, bob); }), b([] { transfer(bob, carol); }), c([] { transfer(carol, alice); });
	a.join();
	b.join();
	c.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread circle.cpp -o circle
status 124 rethread hunt -q --runs 2000 ./circle 2>err
rethread reproduce >out 2>&1 || fail "$(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1:[123] waits for [a-z]+.m \(circle.cpp:8\), which thread 1:[123] has; thread 1:[123] waits for [a-z]+.m \(circle.cpp:8\), which thread 1:[123] has; thread 1:[123] waits for [a-z]+.m \(circle.cpp:8\), which thread 1:[123] has\.'
for one in '1 waits for bob.m circle.cpp:8 .*which thread 1:2' '2 waits for carol.m circle.cpp:8 .*which thread 1:3' '3 waits for alice.m circle.cpp:8 .*which thread 1:1'; do
	has text "thread 1:$one has had since circle.cpp:7 std::lock_guard<std::mutex> f\\(from.m\\);"
done
cat >left.c <<'P'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int closed;
static void *take(void *p)
{
	pthread_mutex_lock(&lock);
	if (closed)
		return p; /* with the lock */
	pthread_mutex_unlock(&lock);
	return p;
}
int main(void)
{
	pthread_t t[2];
	closed = 1;
	pthread_create(&t[0], NULL, take, NULL);
	pthread_create(&t[1], NULL, take, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}
P
rethread cc -O1 -g -pthread left.c -o left
status 124 rethread record -q --timeout 2 ./left 2>err
rethread reproduce --engine search --budget 30 >out 2>&1 || fail "$(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1:[12] waits for ever for lock \(left.c:6\): thread 1:[12] took it \(left.c:6\) and ended without giving it up\.' \
	'thread 1 waits for the end of thread 1:[12] [^ ]*left.c:1[89] pthread_join'

# What main wrote before it created anybody is how a place was at first, and no part of what others come between: a connection is looked for in one section, and made in the next.
cat >lazy.cpp <<'P'
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
struct Conn { std::string host; int uses = 0; explicit Conn(std::string h) : host(std::move(h)) { opened++; } static inline int opened = 0; };
class Pool {
	std::mutex m;
	std::map<std::string, std::unique_ptr<Conn>> conns;
	Conn *find(const std::string &h) { std::lock_guard l(m); auto it = conns.find(h); return it == conns.end() ? nullptr : it->second.get(); }
public:
	Conn *get(const std::string &h) {
		if (Conn *c = find(h)) return c;
		std::lock_guard l(m);
		auto &c = conns[h];
		c = std::make_unique<Conn>(h);
		return c.get();
	}
	size_t size() { return conns.size(); }
};
int main() {
	Pool pool;
	std::vector<std::thread> t;
	for (int i = 0; i < 3; i++)
		t.emplace_back([&] { for (int k = 0; k < 12; k++) pool.get("host" + std::to_string(k)); });
	for (auto &x : t) x.join();
	assert(Conn::opened == (int)pool.size());
}
P
rethread c++ -std=c++20 -O2 -g -pthread lazy.cpp -o lazy
status 134 rethread hunt -q -o lazy.trace ./lazy 2>err
rethread reproduce lazy.trace >out 2>&1 || fail "$(cat out)"
rethread explain lazy.trace >out
sed '/^Who came/,$d' out | tr -s ' \n' ' ' >short
has short 'In short: thread (1:[123]) read .* \(lazy.cpp:12\); before it read it again \(lazy.cpp:17\), thread 1:[123] changed it \(lazy.cpp:17\)'
