# A hash table without locks loses what is put into it while it grows: atomics, racy pointers, exit status.
cat >hashtable.cpp <<'P'
// Open-addressing hash table with lock-free readers and writers; resize copies while a writer still stores into the old table.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

class Table {
	struct Cell { std::atomic<uint32_t> key{0}; std::atomic<uint32_t> value{0}; };
	struct Store {
		explicit Store(uint32_t n) : size(n), cells(n) {}
		uint32_t size;
		std::vector<Cell> cells;
	};
	std::atomic<Store *> store{new Store(16)};
	std::atomic<uint32_t> used{0};
	std::mutex grow_lock;
	std::vector<Store *> old;
	static uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; return x; }
	static bool insert_into(Store *s, uint32_t k, uint32_t v, bool &fresh) {
		fresh = false;
		for (uint32_t i = 0, h = mix(k); i < s->size; i++, h++) {
			Cell &c = s->cells[h & (s->size - 1)];
			uint32_t at = c.key.load();
			if (at == 0 && c.key.compare_exchange_strong(at, k)) {
				fresh = true;
				at = k;
			}
			if (at == k) {
				c.value.store(v);
				return true;
			}
		}
		return false;
	}
	void grow(Store *seen) {
		std::lock_guard<std::mutex> g(grow_lock);
		if (store.load() != seen)
			return;
		auto *bigger = new Store(seen->size * 2);
		bool fresh;
		for (Cell &c : seen->cells)
			if (uint32_t k = c.key.load())
				insert_into(bigger, k, c.value.load(), fresh);
		store.store(bigger); // BUG: what was put into `seen` meanwhile is lost
		old.push_back(seen);
	}
public:
	void put(uint32_t k, uint32_t v) {
		for (;;) {
			Store *s = store.load();
			bool fresh;
			if (used.load() * 4 < s->size * 3 && insert_into(s, k, v, fresh)) {
				if (fresh)
					used++;
				return;
			}
			grow(s);
		}
	}
	uint32_t get(uint32_t k) {
		Store *s = store.load();
		for (uint32_t i = 0, h = mix(k); i < s->size; i++, h++) {
			Cell &c = s->cells[h & (s->size - 1)];
			uint32_t at = c.key.load();
			if (at == k)
				return c.value.load();
			if (!at)
				return 0;
		}
		return 0;
	}
};

int main() {
	Table t;
	const uint32_t per = 200;
	std::vector<std::thread> ts;
	for (uint32_t id = 0; id < 2; id++)
		ts.emplace_back([&t, id] {
			for (uint32_t i = 1; i <= per; i++)
				t.put(i * 2 + id, i);
		});
	for (auto &x : ts)
		x.join();
	int lost = 0;
	for (uint32_t id = 0; id < 2; id++)
		for (uint32_t i = 1; i <= per; i++)
			if (t.get(i * 2 + id) != i)
				lost++;
	if (lost) {
		std::fprintf(stderr, "%d keys lost\n", lost);
		return 2;
	}
	return 0;
}
P
ENGINE=solve proven hashtable.cpp
