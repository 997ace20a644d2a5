# std::string of C++17, whose functions are libstdc++'s own: as code of the program it does what the library does, and races on strings are inferred.
cat >sound.cpp <<'P'
#include <cassert>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>

int main()
{
	std::string s = "one", long_one(50, 'x');
	s += " and ";
	s.append("two").append(3, '!').insert(3, long_one).erase(3, 50);
	assert(s == "one and two!!!" && s.find("two") == 8 && s.rfind('!') == 13);
	s.replace(0, 3, "three").push_back('.');
	s.resize(20, '-');
	s.reserve(200);
	s.shrink_to_fit();
	assert(s == "three and two!!!.---" && s.compare("three") > 0 && s.substr(6, 3) == "and");
	s.swap(long_one);
	assert(s.size() == 50 && long_one.find_first_of("!.") == 13 && long_one.find_last_not_of('-') == 16);
	std::ostringstream out; /* the library's own code works on the program's strings */
	out << long_one << 5;
	s = out.str() + std::to_string(12) + s.assign(s, 48, 9);
	assert(s == "three and two!!!.---512xx");
	std::getline(std::istringstream("first\nsecond"), s);
	assert(s == "first");
	try {
		s.at(5);
		s.substr(6);
		assert(0);
	} catch (const std::out_of_range &e) {
		printf("%s\n", s.c_str());
	}
}
P
for opt in -O0 -O2; do
	rethread c++ -std=c++17 $opt -g -pthread -o sound sound.cpp
	same "$(./sound)" first
	same "$(rethread record -q ./sound)" first
done
# No two threads agree on how long it is; whatever comes of that is in the log.
cat >raced.cpp <<'P'
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>

static std::string all = "a text of some length";

static void add(const char *text)
{
	for (int i = 0; i < 15; i++, usleep(1)) {
		all.append(text);
		if (all.size() > 60)
			all.erase(20, 30);
	}
}

int main()
{
	all.reserve(200);
	std::thread a(add, "abc"), b(add, "defgh");
	a.join();
	b.join();
	if (all.size() % 3)
		abort();
	abort();
}
P
for opt in -O0 -O2; do
	rethread c++ -std=c++17 $opt -g -pthread -o raced raced.cpp
	for i in 1 2 3; do
		rethread record -q ./raced || true
		rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$opt: $(cat out)"
	done
	rethread replay -n 3 >out 2>&1 || fail "$opt: $(cat out)"
	has out 'reproduced 3/3'
done
