# What `hunt` found, with several seeds each: what is filled in a later round of a loop was not shown too early; what a thread overwrote without a look was changed by
# another before that, and so is what it was led on by; a sequentially consistent store counts nothing, and overwrites what it has not seen.
hunted() { # NAME SEED: into the file `short`
	rm -rf t
	got=0
	rethread hunt -q --seed "$2" -o t ./"$1" >err 2>&1 || got=$?
	[ -d t ] || fail "no failure of $1: $got $(cat err)"
	rethread reproduce --budget 30 t >out 2>&1 || fail "$(cat out)"
	rethread explain t >out
	sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
}
cat >table.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct entry {
	int key, value;
	struct entry *next;
};
struct hash {
	struct entry *buckets[4];
	int entries;
	pthread_mutex_t lock;
};
static void insert(struct hash *h, int key)
{
	struct entry *e = malloc(sizeof *e);
	e->key = key;
	e->value = key * 2;
	int i = key % 4;
	e->next = h->buckets[i];
	h->buckets[i] = e;
	pthread_mutex_lock(&h->lock);
	h->entries++;
	pthread_mutex_unlock(&h->lock);
}
static struct hash table = {.lock = PTHREAD_MUTEX_INITIALIZER};
static void *run(void *arg)
{
	for (int i = 0; i < 100; i++)
		insert(&table, (int)(long)arg * 1000 + i);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	int n = 0;
	for (int i = 0; i < 4; i++)
		for (struct entry *e = table.buckets[i]; e; e = e->next)
			n++;
	assert(n == table.entries);
	return 0;
}
P
rethread cc -O2 -g -pthread table.c -o table
for seed in 2 3; do
	hunted table $seed
	has short 'In short: thread 1:[12] overwrote \(table.c:20\) what thread 1:[12] had written to table.buckets\[[0-3]\] \(table.c:20\) without having seen it: it had read it before that \(table.c:19\)'
done
cat >order.cpp <<'P'
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
enum class State { New, Open, Filled, Cancelled };
struct Order {
	int id = 0;
	State state = State::New;
	long filled = 0, quantity = 10;
};
class Book {
	std::map<int, std::unique_ptr<Order>> orders;
	std::mutex m;

public:
	void add(int id)
	{
		std::lock_guard<std::mutex> l(m);
		auto o = std::make_unique<Order>();
		o->id = id;
		o->state = State::Open;
		orders[id] = std::move(o);
	}
	void fill(int id, long n)
	{
		std::lock_guard<std::mutex> l(m);
		Order &o = *orders.at(id);
		if (o.state != State::Open)
			return;
		o.filled += n;
		if (o.filled == o.quantity)
			o.state = State::Filled;
	}
	bool cancel(int id)
	{
		Order *o;
		{
			std::lock_guard<std::mutex> l(m);
			o = orders.at(id).get();
			if (o->state != State::Open)
				return false;
		}
		std::lock_guard<std::mutex> l(m);
		o->state = State::Cancelled;
		assert(o->filled < o->quantity);
		return true;
	}
};
int main()
{
	Book b;
	for (int i = 0; i < 50; i++)
		b.add(i);
	std::thread filler([&] {
		for (int i = 0; i < 50; i++)
			for (int k = 0; k < 2; k++)
				b.fill(i, 5);
	});
	std::thread canceller([&] {
		for (int i = 0; i < 50; i++)
			b.cancel(i);
	});
	filler.join();
	canceller.join();
}
P
rethread c++ -std=c++20 -O2 -g -pthread order.cpp -o order
for seed in 2 3 4; do
	hunted order $seed
	has short 'In short: thread 1:2 (went by what it had read in Order.state \(order.cpp:42\) when it read Order.filled \(order.cpp:47\); in between thread 1:1 had changed the one \(order.cpp:34\)|overwrote \(order.cpp:46\) what thread 1:1 had written to Order.state \(order.cpp:34\))'
done
cat >ring.cpp <<'P'
#include <array>
#include <atomic>
#include <cassert>
#include <iostream>
#include <optional>
#include <thread>
#include <vector>
struct Token {
	enum Kind { Word, Number, End } kind = End;
	long value = 0;
};
template <class T, size_t N> class Ring {
	std::array<T, N> items_;
	std::atomic<size_t> head_{0}, tail_{0};

public:
	bool push(const T &t)
	{
		size_t tail = tail_.load();
		if (tail - head_.load() == N)
			return false;
		items_[tail % N] = t;
		tail_.store(tail + 1);
		return true;
	}
	std::optional<T> pop()
	{
		size_t head = head_.load();
		if (head == tail_.load())
			return std::nullopt;
		T t = items_[head % N];
		head_.store(head + 1);
		return t;
	}
};
int main()
{
	Ring<Token, 8> ring;
	std::atomic<long> sum{0}, taken{0};
	std::thread producer([&] {
		for (long i = 1; i <= 50; i++)
			while (!ring.push(Token{Token::Number, i}))
				std::this_thread::yield();
	});
	auto consume = [&] {
		while (taken < 50) {
			if (auto t = ring.pop()) {
				sum += t->value;
				taken++;
			} else {
				std::this_thread::yield();
			}
		}
	};
	std::thread a(consume), b(consume);
	producer.join();
	a.join();
	b.join();
	if (sum != 50 * 51 / 2) {
		std::cerr << "sum " << sum << "\n";
		return 1;
	}
}
P
rethread c++ -std=c++20 -O2 -g -pthread ring.cpp -o ring
for seed in 2 3; do
	hunted ring $seed
	has short 'In short: thread 1:[23] overwrote \(ring.cpp:32\) what thread 1:[23] had written to ring.head_ \(ring.cpp:32\) without having seen it: it had read it before that \(ring.cpp:28\)'
done
cat >pool.cpp <<'P'
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
struct Connection {
	int id;
	bool busy = false;
	explicit Connection(int i) : id(i) {}
	void query()
	{
		assert(!busy);
		busy = true;
		std::this_thread::yield();
		busy = false;
	}
};
class ConnectionPool {
	std::vector<std::unique_ptr<Connection>> all;
	std::vector<Connection *> free_list;
	std::mutex m;

public:
	explicit ConnectionPool(int n)
	{
		for (int i = 0; i < n; i++) {
			all.push_back(std::make_unique<Connection>(i));
			free_list.push_back(all.back().get());
		}
	}
	Connection *acquire()
	{
		Connection *c = nullptr;
		{
			std::lock_guard<std::mutex> l(m);
			if (free_list.empty())
				return nullptr;
			c = free_list.back();
		}
		std::lock_guard<std::mutex> l(m);
		if (!free_list.empty())
			free_list.pop_back();
		return c;
	}
	void release(Connection *c)
	{
		std::lock_guard<std::mutex> l(m);
		free_list.push_back(c);
	}
};
int main()
{
	ConnectionPool pool(4);
	std::vector<std::thread> t;
	for (int i = 0; i < 3; i++)
		t.emplace_back([&pool] {
			for (int k = 0; k < 30; k++)
				if (Connection *c = pool.acquire()) {
					c->query();
					pool.release(c);
				}
		});
	for (auto &x : t)
		x.join();
}
P
rethread c++ -std=c++20 -O2 -g -pthread pool.cpp -o pool
for seed in 4 8 12; do
	hunted pool $seed
	has short 'In short: thread (1:[123]) went by what it had read in pool.free_list \(pool.cpp:(36|38)\) when it read Connection.busy \(pool.cpp:12\); in between thread 1:[123] had changed the one \(pool.cpp:(42|48)\) and the other \(pool.cpp:13\); thread \1 had given up pool.m by then\.'
done
