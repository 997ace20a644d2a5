# A library changes memory that threads race for, in a way that no table has: what inline functions set in a stream, `operator<<` sets back. No order of
# what is known explains what they find next, and that is no proof.
cat >width.cpp <<'P'
#include <cassert>
#include <iomanip>
#include <sstream>
#include <thread>

static std::ostringstream out;
static int lines;

static void write(int id)
{
	for (int i = 0; i < 100; i++) {
		out << 't' << id << ' ' << std::setw(4) << i << '\n';
		lines++;
	}
}

int main()
{
	std::thread a(write, 1), b(write, 2);
	a.join();
	b.join();
	assert(lines == 200);
}
P
rethread c++ -O1 -g -pthread -o width width.cpp
rethread record -q --until-failure ./width >/dev/null 2>err || true
rethread reproduce --engine solve --budget 10 >out 2>&1 || true
! grep -q 'explains the log: proven' out || fail "$(cat out)"
