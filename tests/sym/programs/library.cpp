/* Much library code in one program: regex, streams, smart pointers, variant, deque, list, algorithms, numbers. */
#include <algorithm>
#include <array>
#include <bitset>
#include <chrono>
#include <complex>
#include <cstdio>
#include <deque>
#include <iomanip>
#include <iostream>
#include <list>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <regex>
#include <sstream>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

struct tree {
	std::shared_ptr<tree> left, right;
	int value;
	explicit tree(int v) : value(v) {}
};

static void insert(std::shared_ptr<tree> &t, int v)
{
	if (!t)
		t = std::make_shared<tree>(v);
	else
		insert(v < t->value ? t->left : t->right, v);
}

static int height(const std::shared_ptr<tree> &t)
{
	return t ? 1 + std::max(height(t->left), height(t->right)) : 0;
}

struct visitor {
	std::string operator()(int i) const { return "int " + std::to_string(i); }
	std::string operator()(double d) const { return "double " + std::to_string(d); }
	std::string operator()(const std::string &s) const { return "string " + s; }
};

template <class... T> static long total(T... t) { return (0L + ... + static_cast<long>(t)); }

int main()
{
	std::regex word("([a-z]+)([0-9]*)");
	std::string text = "alpha12 beta gamma7 42";
	for (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end; ++i)
		std::cout << (*i)[1] << ':' << (*i)[2] << '\n';
	std::cout << std::regex_replace(text, std::regex("[aeiou]"), "_") << '\n';
	std::ostringstream out;
	out << std::setw(8) << std::setfill('*') << 42 << ' ' << std::hex << 255 << ' ' << std::setprecision(3) << 3.14159;
	std::cout << out.str() << '\n';
	std::istringstream in("10 20 thirty 40");
	int n, sum = 0;
	while (in >> n)
		sum += n;
	std::cout << sum << ' ' << in.fail() << '\n';
	std::shared_ptr<tree> root;
	std::mt19937 random(5);
	for (int i = 0; i < 60; i++)
		insert(root, static_cast<int>(random() % 1000));
	std::cout << height(root) << ' ' << root.use_count() << '\n';
	for (const std::variant<int, double, std::string> &v :
	     std::vector<std::variant<int, double, std::string>>{1, 2.5, std::string("x")})
		std::cout << std::visit(visitor(), v) << '\n';
	std::deque<int> d;
	std::list<int> l;
	for (int i = 0; i < 40; i++) {
		i % 3 ? d.push_back(i) : d.push_front(-i);
		l.push_back((i * 17) % 23);
	}
	l.sort();
	l.unique();
	std::cout << d[5] << ' ' << d.back() << ' ' << l.size() << ' ' << l.back() << '\n';
	std::priority_queue<std::pair<int, std::string>> q;
	q.push({3, "c"});
	q.push({9, "z"});
	q.push({5, "e"});
	std::cout << q.top().second << '\n';
	std::bitset<70> bits(12345);
	bits <<= 40;
	std::cout << bits.count() << ' ' << bits.test(40) << '\n';
	std::complex<double> z(1, 2);
	z = z * z + std::complex<double>(0.5, -1);
	std::cout << z.real() << ' ' << z.imag() << '\n';
	std::optional<std::string_view> o = std::string_view("view").substr(1);
	std::cout << o.value_or("none") << ' ' << total(1, 2L, 3u, 'a') << '\n';
	std::array<std::tuple<int, char>, 4> a{{{3, 'x'}, {1, 'y'}, {2, 'z'}, {1, 'a'}}};
	std::stable_sort(a.begin(), a.end(), [](auto &x, auto &y) { return std::get<0>(x) < std::get<0>(y); });
	for (auto &[k, c] : a)
		std::cout << k << c << ' ';
	std::cout << std::endl;
	try {
		std::regex bad("(");
	} catch (const std::regex_error &e) {
		std::cout << "bad regex\n";
	}
	return 0;
}
