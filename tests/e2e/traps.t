# Traps are failures like others, also where a thread does nothing but that, and calls nothing: its code then runs natively in the executor.
cat >p.cpp <<'P'
#include <thread>
#include <unistd.h>
static volatile int balance;
static void work(void)
{
	for (int i = 0; i < 100; i++) {
		int seen = balance;
		if (i % 20 == 0)
			usleep(1);
		balance = seen + 1;
	}
}
int main(int n, char **)
{
	if (n > 1)
		std::thread([] { __builtin_trap(); }).join();
	std::thread other(work);
	work();
	other.join();
	if (balance != 200)
		__builtin_trap();
	return 0;
}
P
rethread c++ -O1 -g p.cpp -o p
check() { # ARGUMENTS OF record...: its failure is decoded, reproduced by solve, and replayed
	status 132 rethread record -q "$@" >out 2>err
	rethread dump >out 2>err
	same "$(cat err)" ""
	has out '^failure: SIGILL' '^  line .*p.cpp:[0-9]+'
	rethread reproduce --engine solve --budget 50 >out 2>&1 || fail "not reproduced: $(cat out)"
	has out 'reproduced and proven by replay'
	rethread replay -n 5 >out 2>&1
	has out '^reproduced 5/5$'
}
check --until-failure ./p
check ./p at-once
