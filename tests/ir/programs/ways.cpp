// Ways in which memory gets from one thread to another in C++ (ways.c): thread 0 makes something and lets it go, thread 1 finds it and
// changes it through a pointer that might as well lead to memory of its own, and thread 0 looks at what it kept.
#include "ir.h"

#include <any>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <pthread.h>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#define WAY static __attribute__((noinline)) void
static pthread_barrier_t barrier;
static void turn() { pthread_barrier_wait(&barrier); }
static bool never() { return opaque(0) != 0; }
static thread_local long own_sum;
static std::atomic<long> sum;

#define SPARE                                                                                                                      \
	int spare_place = 1, *spare = &spare_place;                                                                                \
	int *mine = new int(1)

// ---------------------------------------------------------------- containers

static std::vector<int *> vector_of_all;
static std::map<std::string, int *> map_of_all;
static std::unordered_map<int, std::list<int *>> hash_of_all;
static std::deque<std::pair<int, int *>> deque_of_all;

WAY by_containers(int id)
{
	SPARE;
	if (id == 0) {
		for (int i = 0; i < 10; i++)
			vector_of_all.push_back(mine);
		map_of_all["a key that is too long to be held in place"] = mine;
		hash_of_all[7].push_back(mine);
		deque_of_all.emplace_back(1, mine);
	}
	turn();
	if (id == 1) {
		std::vector<int *> copy = {spare, spare};
		copy = vector_of_all;
		*copy[3] += 1;
		std::map<std::string, int *> own_map = {{"one", spare}};
		own_map = map_of_all;
		*own_map.begin()->second += 1;
		auto own_list = hash_of_all[7];
		own_list.push_back(spare);
		*own_list.front() += 1;
		auto [one, p] = deque_of_all.front();
		*(never() ? spare : p) += one;
	}
	turn();
	own_sum += *mine;
}

static std::vector<std::vector<int>> rows;
WAY by_moved_vector(int id)
{
	std::vector<int> mine(4, 1), spare(4, 1);
	int *kept = mine.data();
	if (id == 0)
		rows.push_back(std::move(mine));
	turn();
	if (id == 1) {
		spare = std::move(rows.back());
		spare[2] += 1;
	}
	turn();
	own_sum += kept[2];
	turn();
}

// ---------------------------------------------------------------- owners

static std::shared_ptr<int> shared_owner;
static std::unique_ptr<int> unique_owner;
static std::any any_owner;
static std::variant<int, int *, std::string> variant_owner;
static std::optional<std::tuple<int, int *>> optional_owner;

WAY by_owners(int id)
{
	SPARE;
	auto kept = std::make_shared<int>(1);
	int *unique = new int(1);
	if (id == 0) {
		shared_owner = kept;
		unique_owner.reset(unique);
		any_owner = mine;
		variant_owner = mine;
		optional_owner = {1, mine};
	}
	turn();
	if (id == 1) {
		auto own = std::make_shared<int>(1);
		own = shared_owner;
		*own += 1;
		std::unique_ptr<int> u(new int(2));
		u = std::move(unique_owner);
		*u += 1;
		unique_owner = std::move(u);
		std::any a = spare;
		a = any_owner;
		*std::any_cast<int *>(a) += 1;
		std::variant<int, int *, std::string> v = spare;
		v = variant_owner;
		*std::get<int *>(v) += 1;
		*(never() ? spare : std::get<1>(*optional_owner)) += 1;
	}
	turn();
	own_sum += *kept;
	own_sum += *mine;
	if (id == 0)
		own_sum += *unique;
}

// ---------------------------------------------------------------- calls

static std::function<void()> function;
struct Shape {
	virtual ~Shape() = default;
	virtual void touch(int *p) = 0;
};
struct Named {
	const char *name = "n";
	virtual const char *say() { return name; }
	virtual ~Named() = default;
};
static int *touched;
struct Publishing : Named, Shape {
	int *held = nullptr;
	void touch(int *p) override { touched = held = p; }
};
struct Private : Shape {
	long seen = 0;
	void touch(int *p) override { seen += *p; }
};
static Shape *shape;

WAY by_calls(int id)
{
	SPARE;
	int *other = new int(1), *third = new int(1);
	if (id == 0) {
		function = [mine] { *mine += 1; };
		std::unique_ptr<Shape> s(never() ? static_cast<Shape *>(new Private) : new Publishing);
		s->touch(other);
		shape = new Publishing;
		shape->touch(third);
	}
	turn();
	if (id == 1) {
		function();
		*(never() ? spare : touched) += 1;
		auto *p = dynamic_cast<Publishing *>(shape);
		*(never() ? spare : p->held) += 1;
		p->name = "m";
	}
	turn();
	own_sum += *mine;
	own_sum += *other;
	own_sum += *third;
}

struct Members {
	long a;
	int *first, *second;
};
static Members *members;
static int *Members::*which = &Members::second;
static char place[64];

WAY by_member_pointer(int id)
{
	SPARE;
	if (id == 0) {
		members = new (place) Members{1, nullptr, nullptr};
		members->*which = mine;
	}
	turn();
	if (id == 1) {
		Members m = {1, spare, spare};
		if (!never()) m = *members;
		*(m.*which) += 1;
	}
	turn();
	own_sum += *mine;
}

// ---------------------------------------------------------------- exceptions and futures

struct Carrier {
	int *p;
};
static std::exception_ptr exception;
static int *caught;
static __attribute__((noinline)) void throws(int *p)
{
	if (!never())
		throw Carrier{p};
}

WAY by_exceptions(int id)
{
	SPARE;
	int *other = new int(1);
	if (id == 0) {
		try {
			throws(mine);
		} catch (const Carrier &c) {
			caught = c.p;
		}
		exception = std::make_exception_ptr(Carrier{other});
	}
	turn();
	if (id == 1) {
		*(never() ? spare : caught) += 1;
		int *p = spare;
		try {
			std::rethrow_exception(exception);
		} catch (Carrier &c) {
			p = c.p;
		}
		*p += 1;
	}
	turn();
	own_sum += *mine;
	own_sum += *other;
}

static std::promise<int *> promise;
static std::future<int *> future;

WAY by_promise(int id)
{
	SPARE;
	if (id == 0)
		promise.set_value(mine);
	turn();
	if (id == 1) {
		int *p = never() ? spare : future.get();
		*p += 1;
	}
	turn();
	own_sum += *mine;
}

static void everything(int id, int &count, std::vector<int> *numbers)
{
	by_containers(id);
	by_moved_vector(id);
	by_owners(id);
	by_calls(id);
	by_member_pointer(id);
	by_exceptions(id);
	by_promise(id);
	turn();
	if (id == 1) {
		count += 1;
		(*numbers)[0] += 1;
	}
	turn();
	if (id == 0) {
		own_sum += count;
		own_sum += (*numbers)[0];
	}
	sum += own_sum;
}

int main()
{
	pthread_barrier_init(&barrier, nullptr, 2);
	future = promise.get_future();
	int count = 0;
	std::vector<int> numbers(3);
	std::thread first(everything, 0, std::ref(count), &numbers);
	std::thread second([&] { everything(1, count, &numbers); });
	first.join();
	second.join();
	std::printf("%d %d %ld\n", count, numbers[0], sum.load());
	unique_owner.release();
	return 0;
}
