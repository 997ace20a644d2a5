# std::async, futures, shared_ptr: a value is built twice.
cat >fut.cpp <<'P'
// std::async + shared_ptr + unordered_map without lock around lookup/insert of a lazily built value.
#include <cassert>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>
struct Value { std::string text; int built = 0; };
class Lazy {
  std::shared_ptr<Value> value; std::mutex m; int builds = 0; bool ready = false;
public:
  std::shared_ptr<Value> get(const std::string &k) {
    if (!ready) {
      auto v = std::make_shared<Value>();
      v->text = k + "!"; v->built = 1;
      std::lock_guard<std::mutex> g(m);
      builds++; value = v; ready = true;      // bug: not checked again under the lock
    }
    return value;
  }
  int count() const { return builds; }
};
int main() {
  for (int round = 0; round < 60; round++) {
    Lazy lazy;
    std::vector<std::future<size_t>> fs;
    for (int i = 0; i < 3; i++) fs.push_back(std::async(std::launch::async, [&lazy, i] { return lazy.get("key" + std::to_string(i))->text.size(); }));
    size_t n = 0;
    for (auto &f : fs) n += f.get();
    assert(lazy.count() == 1 && "built more than once");
    if (n == 0) std::puts("?");
  }
}
P
ENGINE=solve proven fut.cpp
