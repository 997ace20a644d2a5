# Handlers that a C++ program sets for exceptions that nobody catches, and for memory that is not to be had, are known; so is reading from streams.
cat >p.cc <<'P'
#include "race.h"
#include <cxxabi.h>
#include <exception>
#include <new>
#include <sstream>
#include <typeinfo>
struct lost {
	long n;
};
static long told;
static void said(void)
{
	std::type_info *t = abi::__cxa_current_exception_type();
	told += t && *t == typeid(lost);
	printf("%ld told\n", told);
	fflush(stdout);
	if (told == 1)
		abort();
	_exit(5);
}
static void none_left(void)
{
	throw std::bad_alloc();
}
int main()
{
	std::set_terminate(said);
	std::set_new_handler(none_left);
	std::istringstream in("abcd");
	char text[3];
	in.read(text, sizeof text);
	both(5 + in.gcount(), text[2] == 'c' ? 8 : 0);
	if (total != want)
		throw lost{total};
	return 0;
}
P
rethread c++ -O2 -g -I"$ROOT/tests/e2e" p.cc -o p
status 134 rethread record --until-failure ./p >recorded 2>err
! grep 'from outside' err || fail "$(cat err)"
status 0 rethread reproduce --engine solve --budget 60 >out
has out 'reproduced and proven by replay'
