# Threads that print their first number: the library's own code looks at the locale's table of characters, and calls the program's function
# (std::getline brings it in) to fill it. Which thread that was decided how many accesses each had, and replays left the schedule.
cat >p.cpp <<'P'
#include <atomic>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
static std::atomic<int> next;
static int order[4];
static void prints(int me)
{
	std::ostringstream s;
	s << "number " << me;
	order[next++] = me;
	if (s.str().size() != 8)
		exit(2);
}
int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back(prints, i);
	for (auto &t : threads)
		t.join();
	std::istringstream lines("one\ntwo");
	std::string line;
	while (std::getline(lines, line))
		if (line.size() != 3)
			return 2;
	return 1;
}
P
rethread c++ -O2 -g -pthread -o p p.cpp
status 1 rethread record -q ./p
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
has out 'reproduced and proven by replay'
rethread replay -n 40 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 40/40$'
