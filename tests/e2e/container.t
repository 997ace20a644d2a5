# Where nobody may turn off that the kernel chooses addresses at random, as in Docker's containers, nor look into other processes, all works.
clang-19 -O1 -Wall -Wextra -Werror "$ROOT/tests/e2e/container.c" -o container
./container setarch -R true 2>/dev/null && fail "the container lets addresses be chosen"
rethread() { "$PWD/container" "$ROOT/build/rethread" "$@"; }
# Racy reads are found out about in several runs of the executor, which have to lie alike.
several_runs() {
	has out 'symbolically in ([2-9]|[0-9]{2,}) runs'
}
record_until_it_fails() {
	rethread record --until-failure --runs 5000 -q "$@" >/dev/null 2>&1 && fail "no failure"
	return 0
}
rethread cc -O2 -g -pthread "$BUGS/sim_race.c" -o race
record_until_it_fails ./race
rethread reproduce --engine solve --budget 50 >out 2>&1 || fail "not reproduced: $(cat out)"
several_runs
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 5/5$'
rethread explain >out && has out '^In short: '
rethread dump >out && has out 'sim_race.c:[0-9]+'
# Memory that is used after it was freed lies where it lay.
rethread c++ -O2 -g -pthread "$BUGS/pbzip2.cpp" -o freed
record_until_it_fails ./freed
rethread reproduce --budget 50 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
# The other schemes and engines.
record_until_it_fails --scheme path ./race
rethread reproduce --budget 50 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread reproduce --engine search --budget 50 >out 2>&1 || fail "not found: $(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
