# Any number of workers finds an interleaving.
cat >lost.c <<'P'
#include "race.h"
int main(void)
{
	both(6, 6);
	return judge();
}
P
rethread cc -O2 -g -pthread -I"$ROOT/tests/e2e" -o lost lost.c
rethread record -q --until-failure --runs 5000 ./lost >/dev/null || true
for workers in 1 2 7; do
	rethread reproduce --engine solve --workers $workers --json figures >out 2>&1 || fail "$workers: $(cat out)"
	has out 'reproduced and proven by replay: .* context switch'
	# Proven or not, which a slow machine may not come to: there are not fewer than there are at least.
	[ "$(sed -n 's/.*"context_switches": \([0-9]*\).*/\1/p' figures)" -ge "$(sed -n 's/.*"switches_at_least": \([0-9]*\).*/\1/p' figures)" ]
	rethread replay -n 5 >out 2>&1 || fail "$workers: $(cat out)"
	has out '^reproduced 5/5$'
done
status 2 rethread reproduce --workers 0 2>err
has err '--workers takes a number of threads'
