# What a function from outside makes of a text rests on that: a price that was read by sscanf, and a quantity that was written in another section.
cat >quote.cpp <<'P'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
struct Quote {
	char text[32];
	int quantity;
};
static Quote quote;
static std::mutex m;
static void publish(int i)
{
	{
		std::lock_guard<std::mutex> l(m);
		std::snprintf(quote.text, sizeof quote.text, "price %d", i * 10);
	}
	std::lock_guard<std::mutex> l(m);
	quote.quantity = i;
}
static void check()
{
	int price = 0, quantity;
	{
		std::lock_guard<std::mutex> l(m);
		std::sscanf(quote.text, "price %d", &price);
		quantity = quote.quantity;
	}
	if (price != quantity * 10) {
		std::fprintf(stderr, "price %d, quantity %d\n", price, quantity);
		std::abort();
	}
}
int main()
{
	publish(1);
	std::thread a([] {
		for (int i = 2; i < 100; i++)
			publish(i);
	});
	std::thread b([] {
		for (int i = 0; i < 100; i++)
			check();
	});
	a.join();
	b.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread quote.cpp -o quote
status 134 rethread record -q --until-failure --runs 3000 ./quote 2>err
rethread reproduce --budget 30 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1:1 had written quote.text[^ ]* \(quote.cpp:16\) and not yet quote.quantity, which it writes next \(quote.cpp:19\); thread 1:2 read both in between \(quote.cpp:27\): thread 1:1 gives up m between the two\.'
