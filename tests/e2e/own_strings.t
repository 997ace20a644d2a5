# Strings, maps and lists of a thread's own are no shared memory, in any standard: nobody else calls the functions that libstdc++ has as well.
cat >p.cpp <<'P'
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
static std::mutex m;
static long total;
static void work(int n) {
	std::map<std::string, int> seen;
	std::list<int> order;
	std::string name;
	for (int i = 0; i < n; i++) {
		name = "n" + std::to_string(i % 17);
		name += " and a text that is too long for the string itself";
		if (!seen[name]++)
			order.push_front(i);
	}
	long sum = 0;
	for (int i : order)
		sum += i;
	for (auto &s : seen)
		sum += s.second * (long)s.first.size();
	std::lock_guard<std::mutex> lock(m);
	total += sum;
}
int main() {
	std::thread a(work, 100), b(work, 200);
	a.join(), b.join();
	return total == 0;
}
P
for standard in 11 17 20; do
	rethread c++ -std=c++$standard -O2 -g -pthread p.cpp -o p
	rethread analyze p >out
	! grep -E '^  (stack|heap) .*p.cpp:(9|10|11) in work' out || fail "C++$standard: a thread's own are shared"
	! grep -E '^  heap .*new_allocator' out || fail "C++$standard: their nodes are shared"
	rethread record -o trace.$standard -- ./p 2>/dev/null || fail "C++$standard: the recorded program: $?"
done

# A program with a version script of its own has that one.
echo '{ global: main; local: never*; };' >script
rethread c++ -O2 -g -pthread p.cpp -o scripted -Wl,--version-script=script
./scripted || fail "with a script"
