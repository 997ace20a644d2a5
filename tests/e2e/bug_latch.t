# Synchronization of C++20 that is made of futexes: the program's own system calls are inputs.
cat >latch.cpp <<'P'
#include <atomic>
#include <barrier>
#include <cstdlib>
#include <latch>
#include <thread>
#include <unistd.h>

static volatile long hits;
static std::latch go(2);
static std::barrier meet(2);
static std::atomic<int> last{0};

int main() {
  auto work = [](int id) {
    go.arrive_and_wait();
    for (int i = 0; i < 300; i++) {
      long n = hits;
      if (i % 50 == 25) usleep(200);
      hits = n + 1;  // bug: both at once
      if (i % 50 == 49) meet.arrive_and_wait();
    }
    if (id) last = 1, last.notify_all();
    else last.wait(0);
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  if (hits != 600) std::abort();
}
P
FLAGS=-std=c++20 proven latch.cpp
rethread dump --no-lines | grep -q 'rethread_futex_wa'
rethread info | grep -q path+sync
