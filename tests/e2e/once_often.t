# Who calls pthread_once when the routine has run takes no turn in any order, and comes after the routine all the same: what it made does not race.
cat >often.cpp <<'P'
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unistd.h>
static std::once_flag flag;
static int table[64];
static volatile int total;
static const int *get()
{
	std::call_once(flag, [] { for (int i = 0; i < 64; i++) table[i] = i + 1; });
	return table;
}
static void work()
{
	for (int i = 0; i < 3000; i++) {
		if (!get()[i % 64])
			abort();
		if (i % 30 == 0)
		{
			int was = total;
			if (i == 1500)
				usleep(300);
			total = was + 1; /* the bug */
		}
	}
}
int main()
{
	std::thread a(work), b(work), c(work);
	a.join(), b.join(), c.join();
	return total == 300 ? 0 : 9;
}
P
rethread c++ -std=c++17 -O2 -g -pthread often.cpp -o often
status 9 rethread record --until-failure --runs 100000 ./often 2>err
rethread dump --json >dump.json
entries=$(grep -o '"object"' dump.json | wc -l)
[ "$entries" -lt 100 ] || fail "9000 calls of pthread_once made $entries entries"
rethread reproduce --engine solve --budget 40 >out 2>&1 || fail "not reproduced: $(cat out)"
has out 'reproduced and proven by replay' ' 1 racy location,'
rethread replay -n 5 >out
has out 'reproduced 5/5'
