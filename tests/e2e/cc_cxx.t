# C++: exceptions, std::thread, iostream.
cat >p.cc <<'E'
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
static std::mutex m;
static int total;
int main() {
	std::vector<std::thread> threads;
	for (int i = 1; i <= 4; i++)
		threads.emplace_back([i] { std::lock_guard<std::mutex> l(m); total += i; });
	for (auto &t : threads) t.join();
	try { throw std::runtime_error("thrown"); } catch (const std::exception &e) {
		std::cout << e.what() << ' ' << total << '\n';
	}
	return 3;
}
E
for o in -O0 -O2; do
	rethread c++ $o p.cc -o p
	recordable p
	status 3 ./p >out
	same "$(cat out)" "thrown 10"
	status 3 rethread record ./p >out
	same "$(cat out)" "thrown 10"
	has "$(latest)/meta.json" '"kind": "exit"' '"status": 3'
done
