# C++ with std::thread, exceptions, strings and containers, unlike anything in bugs/: an account is checked outside its lock.
cat >bank.cpp <<'P'
// Lost update in a C++ bank: balances under per-account mutex, but the transfer reads outside.
#include <cassert>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct Account { std::mutex m; long balance = 100; std::string name; };
class Bank {
  std::vector<std::unique_ptr<Account>> accounts;
public:
  Bank(int n) { for (int i = 0; i < n; i++) { accounts.push_back(std::make_unique<Account>()); accounts.back()->name = "acc" + std::to_string(i); } }
  void transfer(int a, int b, long amount) {
    Account &x = *accounts[a], &y = *accounts[b];
    if (x.balance < amount) throw std::runtime_error("insufficient funds in " + x.name);
    { std::lock_guard<std::mutex> g(x.m); x.balance -= amount; }
    { std::lock_guard<std::mutex> g(y.m); y.balance += amount; }
    assert(x.balance >= 0 && "overdrawn");
  }
  long total() { long t = 0; for (auto &a : accounts) t += a->balance; return t; }
};
int main() {
  Bank bank(3);
  int refused[3] = {0, 0, 0};
  std::vector<std::thread> ts;
  for (int t = 0; t < 3; t++)
    ts.emplace_back([&bank, &refused, t] {
      for (int i = 0; i < 200; i++) {
        try { bank.transfer((t + i) % 3, (t + i * 2 + 1) % 3, 35 + (i * 7 + t) % 30); }
        catch (const std::exception &) { refused[t]++; }
      }
    });
  for (auto &t : ts) t.join();
  std::printf("total %ld refused %d\n", bank.total(), refused[0] + refused[1] + refused[2]);
}
P
proven bank.cpp
