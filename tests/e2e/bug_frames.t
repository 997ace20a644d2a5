# Locks on the stack: frames of several functions have theirs at the same place, in the recorded run and only there.
cat >frames.cpp <<'P'
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unistd.h>

static volatile long loose;

template <int Words> __attribute__((noinline)) static long phase(int n) {
  double pad[Words] = {};
  std::mutex m;
  auto work = [&](int c) {
    for (int i = 0; i < n; i++) {
      {
        std::lock_guard<std::mutex> guard(m);
        pad[i % Words] += c;
      }
      long was = loose;
      if (i % 256 == 100) usleep(100);
      loose = was + 1;  // bug: not under the lock
    }
  };
  std::thread a(work, 1), b(work, 2);
  a.join();
  b.join();
  return static_cast<long>(pad[0]);
}

int main() {
  long sum = 0;
  for (int r = 0; r < 8; r++) sum += phase<3>(2000) + phase<40>(1000) + phase<11>(500);
  if (loose != 8 * 2 * 3500) std::abort();
  return sum == 0;
}
P
ENGINE=solve proven frames.cpp
if rethread info >/dev/null 2>&1; then # on a machine with much else to do the failure may not come
	rethread infer -v >out 2>&1
	has out ' 0 assumptions'
fi
# Without the order of locks all of it races, the stack as well, and what the library writes there for std::thread is known.
SCHEME=path ENGINE=solve proven frames.cpp
