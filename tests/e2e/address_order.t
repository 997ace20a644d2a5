# Programs compare addresses of unrelated memory: std::string asks so whether a text lies within its own (_M_disjunct), and with C++20 that is code of the
# program. Texts of the program and of libraries, local variables and blocks lie in the executor in the order they had.
cat >order.cpp <<'P'
#include <cstdlib>
#include <future>
#include <string>
#include <thread>

static std::string all;

static int use(const char *text)
{
	std::string local = "short", large(100, 'x');
	local.insert(0, text);
	large.insert(0, text);
	large.replace(3, 2, "of the program");
	local = large.substr(2, 5);
	local.assign(std::getenv("HOME") ? "it is set" : "it is not");
	try {
		std::future<int> broken = std::promise<int>().get_future();
		broken.get(); /* its text is the library's */
	} catch (const std::future_error &e) {
		local.insert(0, e.what());
	}
	return (int)(local.size() + large.size());
}

int main()
{
	all.assign(40, 'y');
	all.insert(0, "of main");
	int n = use("main");
	std::thread a([&] { n += use("a"); }), b([&] { n += use("b"); });
	a.join();
	b.join();
	if (n)
		abort();
}
P
rethread c++ -std=c++20 -O0 -g -pthread -o order order.cpp
for scheme in path+sync path; do
	rethread record -q --scheme $scheme ./order || true
	rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$scheme: $(cat out)"
	rethread replay -n 3 >out 2>&1 || fail "$scheme: $(cat out)"
	has out 'reproduced 3/3'
done
