# A missed wake-up in C++: the flag is set and the signal given without the mutex, between a test and the wait.
cat >wakeup.cpp <<'P'
// Missed wake-up: the flag is set without the mutex between the waiter's test and its wait.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <atomic>
struct Gate { std::mutex m; std::condition_variable c; std::atomic<bool> open{false};
  void wait() { std::unique_lock<std::mutex> g(m); if (!open.load()) { for (volatile int i = 0; i < 200; i++) {} c.wait(g); } }
  void go() { open.store(true); c.notify_all(); } };
int main() { for (int r = 0; r < 200; r++) { Gate g; std::thread a([&] { g.wait(); }); std::thread b([&] { for (volatile int i = 0; i < 300; i++) {} g.go(); }); a.join(); b.join(); } std::puts("done"); }
P
LIMIT=3 ENGINE=solve proven wakeup.cpp
