# Exceptions of the C++ library that are rarely thrown are known, so nothing is said about them.
cat >p.cc <<'P'
#include <cassert>
#include <cstdio>
#include <exception>
#include <functional>
#include <ios>
#include <new>
#include <stdexcept>
#include <typeinfo>
struct mine : std::bad_exception { };
struct wide : std::bad_typeid { };
struct far : std::out_of_range { using out_of_range::out_of_range; };
struct odd : std::invalid_argument { using invalid_argument::invalid_argument; };
static int failed;
template <class T, class... A> static void thrown(A... a)
{
	try {
		throw T(a...);
	} catch (const std::exception &e) {
		failed += e.what() != nullptr;
	}
}
int main(int argc, char **)
{
	thrown<mine>();
	thrown<wide>();
	thrown<far>("far");
	thrown<odd>("odd");
	thrown<std::bad_cast>();
	thrown<std::bad_alloc>();
	thrown<std::bad_function_call>();
	thrown<std::range_error>("range");
	thrown<std::domain_error>("domain");
	thrown<std::length_error>("length");
	thrown<std::overflow_error>("overflow");
	thrown<std::underflow_error>("underflow");
	thrown<std::ios_base::failure>("stream");
	std::printf("%d\n", failed);
	return argc > 1;
}
P
for opt in -O1 -O2; do # -O1 has the tables of virtual functions
	rethread c++ $opt -g p.cc -o p
	rethread record ./p >out 2>err
	same "$(cat out)" 13
	! grep 'from outside' err || fail "$opt: $(cat err)"
done
