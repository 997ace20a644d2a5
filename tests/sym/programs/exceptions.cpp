/* Exceptions: thrown and caught in interpreted code, by libstdc++, across native callbacks; cleanups, rethrow. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

struct base { virtual ~base() {} int n = 1; };
struct other { virtual ~other() {} int m = 7; };
struct derived : other, base { int k = 3; };

struct guard {
	const char *name;
	~guard() { std::printf("cleanup %s\n", name); }
};

__attribute__((noinline)) static void thrower(int n)
{
	guard g{"thrower"};
	switch (n) {
	case 0: throw 42;
	case 1: throw std::runtime_error("runtime");
	case 2: throw derived();
	case 3: throw "text";
	case 4: { std::vector<int> v(3); v.at(static_cast<size_t>(n)) = 1; break; }
	case 5: throw new int(5);
	case 6: { std::string s = "x"; s.substr(7); break; }
	default: std::printf("nothing\n");
	}
}

__attribute__((noinline)) static void middle(int n)
{
	guard g{"middle"};
	try {
		thrower(n);
	} catch (const char *s) {
		std::printf("middle caught %s, again\n", s);
		throw;
	}
}

static int outer(int n)
{
	try {
		middle(n);
	} catch (int i) {
		std::printf("int %d\n", i);
		return 1;
	} catch (const std::out_of_range &) {
		std::printf("out of range\n");
		return 2;
	} catch (const std::exception &e) {
		std::printf("exception %s\n", e.what());
		return 3;
	} catch (base &b) {
		std::printf("base %d\n", b.n);
		return 4;
	} catch (int *p) {
		std::printf("pointer %d\n", *p);
		delete p;
		return 5;
	} catch (...) {
		std::printf("something\n");
		return 6;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	int x = *static_cast<const int *>(a), y = *static_cast<const int *>(b);
	if (x == 13 || y == 13)
		throw std::logic_error("unlucky");
	return x - y;
}

int main()
{
	for (int n = 0; n < 8; n++)
		std::printf("-> %d\n", outer(n));
	int values[] = {5, 13, 2, 9};
	try {
		guard g{"sort"};
		std::qsort(values, 4, sizeof *values, compare);
	} catch (const std::logic_error &e) {
		std::printf("from a callback: %s\n", e.what());
	}
	try {
		try {
			throw 1;
		} catch (int) {
			throw std::string("nested");
		}
	} catch (std::string &s) {
		std::printf("%s\n", s.c_str());
	}
	std::exception_ptr kept;
	try {
		throw std::runtime_error("kept");
	} catch (...) {
		kept = std::current_exception();
	}
	try {
		std::rethrow_exception(kept);
	} catch (std::runtime_error &e) {
		std::printf("%s %d\n", e.what(), std::uncaught_exceptions());
	}
	return 0;
}
