# A pool of threads whose tasks write to a vector that is copied and replaced meanwhile: pointers race, exceptions fly.
cat >tpool.cpp <<'P'
// Thread pool; results vector grows while workers write through references: use after realloc.
#include <cstdio>
#include <cstdlib>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
class Pool { std::deque<std::function<void()>> q; std::mutex m; std::condition_variable c; bool stop = false; std::vector<std::thread> t;
  void run() { for (;;) { std::function<void()> f; { std::unique_lock<std::mutex> g(m); c.wait(g, [&] { return stop || !q.empty(); }); if (q.empty()) return; f = std::move(q.front()); q.pop_front(); } try { f(); } catch (const std::exception &e) { std::fprintf(stderr, "caught %s\n", e.what()); } } }
public: explicit Pool(int n) { for (int i = 0; i < n; i++) t.emplace_back([this] { run(); }); }
  void add(std::function<void()> f) { { std::lock_guard<std::mutex> g(m); q.push_back(std::move(f)); } c.notify_one(); }
  ~Pool() { { std::lock_guard<std::mutex> g(m); stop = true; } c.notify_all(); for (auto &x : t) x.join(); } };
struct Results { std::vector<long> *v = new std::vector<long>(1); void grow(size_t n) { auto *b = new std::vector<long>(*v); b->resize(n); auto *old = v; v = b; (void)old; } };
int main() { Results r; { Pool p(3); for (int i = 0; i < 400; i++) { r.grow((size_t)i + 1); p.add([&r, i] { if (i % 97 == 96) throw std::runtime_error("x"); (*r.v)[(size_t)i] = i + 1; /* bug: r.v may be copied and replaced meanwhile */ }); } }
  long lost = 0; for (int i = 0; i < 400; i++) if (i % 97 != 96 && (*r.v)[(size_t)i] != i + 1) lost++;
  if (lost) { std::fprintf(stderr, "lost %ld\n", lost); return 7; } }
P
proven tpool.cpp
