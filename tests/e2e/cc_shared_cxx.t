# C++ libraries in a program: inline functions and variables, type information, exceptions and global objects are as they would be with
# the dynamic linker; constructors run once, libraries' before the program's, destructors the other way round.
cat >base.hh <<'P'
#include <stdexcept>
#include <string>
struct Error : std::runtime_error { using runtime_error::runtime_error; virtual ~Error(); };
struct Shape { virtual ~Shape(); virtual int area() const = 0; };
inline int &counter() { static int n; return n; }
struct Noisy { const char *name; Noisy(const char *); ~Noisy(); };
Shape *make(int);
void fail(const std::string &);
P
cat >base.cc <<'P'
#include "base.hh"
#include <cstdio>
Error::~Error() {}
Shape::~Shape() {}
Noisy::Noisy(const char *n) : name(n) { std::printf("begin %s\n", name); }
Noisy::~Noisy() { std::printf("end %s\n", name); }
static Noisy one("base");
__attribute__((destructor)) static void last() { std::puts("last of base"); }
P
cat >shapes.cc <<'P'
#include "base.hh"
static Noisy two("shapes");
namespace { struct Square : Shape { int n; Square(int n) : n(n) { counter()++; } int area() const override { return n * n; } }; }
Shape *make(int n) { return new Square(n); }
void fail(const std::string &why) { throw Error(why); }
P
cat >main.cc <<'P'
#include "base.hh"
#include <cstdio>
#include <typeinfo>
static Noisy three("main");
int main() {
	Shape *s = make(7);
	counter()++;
	std::printf("%d %d %d\n", s->area(), counter(), dynamic_cast<Shape *>(s) != nullptr);
	delete s;
	try { fail("oops"); } catch (const Error &e) { std::printf("caught %s\n", e.what()); }
	try { fail("again"); } catch (const std::exception &e) { std::printf("caught %s\n", e.what()); }
}
P
mkdir plain
build() {
	"$@" -O2 -fPIC -shared base.cc -o "$dir/libbase.so"
	"$@" -O2 -fPIC -shared shapes.cc -o "$dir/libshapes.so" "$dir/libbase.so"
	"$@" -O2 main.cc -o "$dir/p" -L"$dir" -lshapes -lbase -Wl,-rpath,"$PWD/$dir"
}
dir=plain build clang++-19
dir=. build rethread c++
recordable p
readelf -dW p >out
if grep -q 'libbase\|libshapes' out; then fail "still needed: $(cat out)"; fi
same "$(./p)" "$(plain/p)"
same "$(rethread record -q ./p)" "$(plain/p)"
rm libbase.so libshapes.so
same "$(./p)" "$(plain/p)"

# A race in a library.
cat >pool.cc <<'P'
#include <mutex>
#include <thread>
#include <vector>
struct Pool { std::mutex m; std::vector<int> done; int left = 40; };
static Pool pool;
static void work() {
	for (;;) {
		if (pool.left == 0)
			return;
		std::this_thread::yield();
		std::lock_guard<std::mutex> l(pool.m);
		if (--pool.left < 0)
			throw 1;
		pool.done.push_back(pool.left);
	}
}
void run() {
	std::vector<std::thread> t;
	for (int i = 0; i < 3; i++)
		t.emplace_back(work);
	for (auto &x : t)
		x.join();
}
P
echo 'void run(); int main() { run(); }' >user.cc
rethread c++ -O2 -g -fPIC -shared pool.cc -o libpool.so
rethread c++ -O2 -g user.cc ./libpool.so -o q
until=$((SECONDS + 60))
until grep -q '^rethread: trace: ' err 2>/dev/null || [ $SECONDS -ge $until ]; do
	rethread record --until-failure --runs 2000 -- ./q >/dev/null 2>err || :
done
has err '^rethread: trace: '
rethread reproduce --budget 50 >out 2>&1 || fail "$(cat out)"
has out 'reproduced and proven by replay'
rethread replay -n 20 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 20/20$'
