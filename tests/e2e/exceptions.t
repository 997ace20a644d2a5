# Exceptions that go from thread to thread are counted by code of the program's own (src/library/exceptions.c): everything about them is as it was.
cat >thrown.cpp <<'P'
#include <cstdio>
#include <exception>
#include <future>
#include <stdexcept>

struct loud : std::runtime_error {
	using runtime_error::runtime_error;
	~loud() { std::printf("gone %s\n", what()); }
};

static void answers()
{
	for (int i = 0; i < 3; i++) {
		auto f = std::async(std::launch::async, [i]() -> int {
			if (i == 1)
				throw loud("one");
			if (i == 2)
				throw 5;
			return 3;
		});
		try {
			std::printf("got %d\n", f.get());
		} catch (const loud &e) {
			std::printf("caught %s\n", e.what());
		} catch (int n) {
			std::printf("caught %d\n", n);
		}
	}
}

static void again()
{
	std::exception_ptr p;
	try {
		throw loud("two");
	} catch (...) {
		p = std::current_exception();
	}
	for (int i = 0; i < 2; i++)
		try {
			std::rethrow_exception(p);
		} catch (const std::exception &e) {
			std::printf("again %s\n", e.what());
		}
	auto q = p;
	p = nullptr;
	try {
		std::rethrow_exception(q);
	} catch (...) {
		try {
			throw;
		} catch (const loud &e) {
			std::printf("and again %s\n", e.what());
		}
	}
}

int main(int argc, char **)
{
	answers();
	again();
	std::promise<int> p;
	p.set_exception(std::make_exception_ptr(loud("made")));
	try {
		p.get_future().get();
	} catch (const loud &e) {
		std::printf("promised %s\n", e.what());
	}
	std::fflush(stdout);
	if (argc > 1)
		std::rethrow_exception(std::make_exception_ptr(loud("nobody's")));
}
P
rethread c++ -O2 -g -pthread thrown.cpp -o p
nm p >names
has names ' W _ZSt17rethrow_exception' ' W .*_M_release' ' W .*_M_addref'
clang++-19 -O2 -pthread thrown.cpp -o native
./native >want
./p >out
same "$(cat out)" "$(cat want)"
has out '^caught one$' '^and again two$' '^gone made$'
status 134 rethread record -- ./p more >recorded 2>err
has err "nobody's"
rethread reproduce --engine solve >out 2>&1 || fail "not reproduced: $(cat out)"
rethread replay -n 5 >out 2>&1 || fail "not replayed: $(cat out)"
has out '^reproduced 5/5$'
# What a racy number says in an exception that nobody catches is no address that the run failed at.
cat >at.cpp <<'P'
#include <stdexcept>
#include <thread>
#include <unistd.h>

static volatile int size;

int main()
{
	std::thread writer([] { for (int i = 1; i < 20; i++, usleep(1)) size = i; });
	for (;; usleep(10)) {
		int n = size;
		if (n > 3) std::__throw_out_of_range_fmt("%d of 3", n); /* as containers do */
	}
}
P
for opt in -O0 -O2; do
	rethread c++ $opt -g -pthread -o at at.cpp
	rethread record -q ./at 2>/dev/null || true
	rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$opt: $(cat out)"
	rethread replay -n 3 >out 2>&1 || fail "$opt: $(cat out)"
	has out 'reproduced 3/3'
done
