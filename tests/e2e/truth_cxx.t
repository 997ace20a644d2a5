# Truth of the log: what threads noted of their own way is what comes out of the log, for C++ exceptions and
# destructors.
agree() { # COMPILER SOURCE N
	for opt in -O0 -O2; do
		rethread $1 $opt -g -pthread -I"$ROOT/tests/e2e" "$2" -o p
		rethread record -q ./p || fail "$2 $opt: status $?"
		lines_agree "$2" "$3"
	done
}
cat >exceptions.cpp <<'P'
#include "notes.h"
#include <stdexcept>
#include <thread>
#include <vector>
struct Guard { ~Guard() {
	L;
} };
static __attribute__((noinline)) int risky(int n) {
	Guard g;
	if (n % 3 == 0) {
		L;
		throw std::runtime_error("three");
	}
	if (n % 5 == 0) {
		L;
		throw n;
	}
	L;
	return n;
}
static int tries(int n) {
	try {
		return risky(n);
	} catch (const std::exception &e) {
		L;
		return -1;
	} catch (int k) {
		L;
		if (k == 10)
			throw;
		L;
		return -2;
	}
}
static void work() {
	for (int i = 0; i < 12; i++) {
		try {
			tries(i);
		} catch (...) {
			L;
		}
	}
	say("1:1");
}
int main(int argc, char **) {
	std::thread t(work);
	t.join();
	L;
	say("1");
	if (argc > 1) abort();
}
P
agree c++ exceptions.cpp 30
# Objects with destructors, static and of threads.
cat >destructors.cpp <<'P'
#include "notes.h"
#include <thread>
struct Static {
	int n = 3;
	~Static() {
		for (int i = 0; i < n; i++) {
			L;
		}
		L;
		say("1");
	}
};
static Static object;
struct Local {
	const char *name;
	~Local() {
		if (name[2] == '1') {
			L;
		}
		L;
		say(name);
	}
};
static void work(const char *name) {
	thread_local Local local{name};
	local.name = name;
	L;
}
int main() {
	std::thread a(work, "1:1");
	a.join();
	std::thread b(work, "1:2");
	b.join();
	L;
	exit(0);
}
P
agree c++ destructors.cpp 7
