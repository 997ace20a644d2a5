# What a queue holds that only threads with its lock touch is not recorded, whether it is a variable with a destructor or one that
# lambdas refer to; what one of them touches without the lock is.
cat >queue.cpp <<'P2'
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#ifdef GLOBAL
static std::mutex m;
static std::condition_variable filled;
static std::queue<int> q;
#endif
int main(int argc, char **) {
#ifndef GLOBAL
  std::mutex m;
  std::condition_variable filled;
  std::queue<int> q;
#endif
  int n = 500 * argc;
  long sum = 0;
  auto fill = [&] {
    for (int i = 0; i < n; i++) {
#ifndef BUG
      std::unique_lock<std::mutex> lock(m);
#endif
      q.push(i);
      filled.notify_one();
    }
  };
  auto empty = [&] {
    for (int i = 0; i < n; i++) {
      std::unique_lock<std::mutex> lock(m);
      filled.wait(lock, [&] { return !q.empty(); });
      sum += q.front();
      q.pop();
    }
  };
  std::thread a(empty), b(fill);
  a.join();
  b.join();
  return sum == 1;
}
P2
# The most values that one of the two threads has.
most() { rethread dump --no-lines --json "$1" | python3 -c '
import json, sys
print(max(t["values"] for t in json.load(sys.stdin)["threads"][1:]))'; }
for how in -DGLOBAL -DLOCAL; do
	rethread c++ -std=c++17 -O2 -g -pthread $how queue.cpp -o queue
	rethread record -q -o trace$how ./queue
	test "$(most trace$how)" -lt 100 || fail "$how: $(most trace$how) values"
	rethread c++ -std=c++17 -O2 -g -pthread $how -DBUG queue.cpp -o bug
	rethread record -q --timeout 5 -o bug$how ./bug >/dev/null 2>&1 || true
	test "$(most bug$how)" -gt 100 || fail "$how: with the bug only $(most bug$how) values"
done
