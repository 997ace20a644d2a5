/* C++: containers, strings, virtual calls, templates, algorithms, lambdas, global constructors, RTTI. */
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

struct shape {
	virtual ~shape() { std::printf("~shape\n"); }
	virtual double area() const = 0;
	virtual std::string name() const { return "shape"; }
};
struct square : shape {
	double side;
	explicit square(double s) : side(s) {}
	double area() const override { return side * side; }
	std::string name() const override { return "square"; }
};
struct circle : shape {
	double r;
	explicit circle(double x) : r(x) {}
	double area() const override { return 3.25 * r * r; }
};
struct left { virtual int l() { return 1; } int a = 5; };
struct right { virtual int r() { return 2; } int b = 6; };
struct both : left, right { int l() override { return 10 + b; } int r() override { return 20 + a; } };

template <class T, int N> struct ring {
	T data[N] = {};
	int at = 0;
	void put(T v) { data[at++ % N] = v; }
	T sum() const { return std::accumulate(data, data + N, T{}); }
};

static std::vector<int> global = {5, 3, 1};
static std::string greeting = std::string("hello") + " there, " + std::to_string(42);
struct counter {
	static int n;
	counter() { n++; }
	counter(const counter &) { n += 100; }
	counter(counter &&) noexcept { n += 10000; }
	~counter() { n--; }
};
int counter::n;

int main()
{
	std::printf("%s %zu\n", greeting.c_str(), global.size());
	std::vector<std::unique_ptr<shape>> shapes;
	shapes.push_back(std::make_unique<square>(2));
	shapes.push_back(std::make_unique<circle>(1));
	for (auto &s : shapes)
		std::printf("%s %g %d\n", s->name().c_str(), s->area(), dynamic_cast<square *>(s.get()) != nullptr);
	both b;
	right *r = &b;
	left *l = dynamic_cast<left *>(r);
	std::printf("%d %d\n", l->l(), r->r());
	std::map<std::string, int> words;
	for (const char *w : {"one", "two", "three", "two", "one", "one", "a rather long word indeed"})
		words[w]++;
	for (auto &[w, n] : words)
		std::printf("%s=%d ", w.c_str(), n);
	std::puts("");
	std::unordered_map<int, std::string> table;
	for (int i = 0; i < 100; i++)
		table[i * 7 % 101] = std::to_string(i);
	std::printf("%s %s %zu\n", table[7].c_str(), table[50].c_str(), table.size());
	std::set<long> set;
	for (long i = 0; i < 50; i++)
		set.insert(i * i % 37);
	std::printf("%zu %ld\n", set.size(), *set.rbegin());
	std::vector<int> v(200);
	std::iota(v.begin(), v.end(), 0);
	std::sort(v.begin(), v.end(), [](int a, int c) { return a * 37 % 211 < c * 37 % 211; });
	std::printf("%d %d %d\n", v[0], v[100], v[199]);
	std::function<int(int)> twice = [&](int x) { return x * 2 + (int)v.size(); };
	std::printf("%d\n", twice(4));
	ring<long, 5> ring;
	for (int i = 0; i < 12; i++)
		ring.put(i);
	std::printf("%ld\n", ring.sum());
	{
		std::vector<counter> counters(3);
		counters.push_back(counter());
		counters.push_back(counters[0]);
		std::printf("%d\n", counter::n);
	}
	std::printf("%d\n", counter::n);
	std::string s(40, 'x');
	s.insert(10, "abc").erase(0, 5).replace(3, 2, "--");
	std::printf("%s %zu\n", s.c_str(), s.find("abc"));
	return 0;
}
