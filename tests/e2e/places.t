# Where traces and programs may be: no home, a trace that was copied, a program or a directory that is gone, files that cannot be
# written, several commands at a time.
cat >lost.c <<'P'
#include "race.h"
int main(void)
{
	both(6, 6);
	return judge();
}
P
mkdir there
rethread cc -O2 -g -pthread -I"$ROOT/tests/e2e" -o lost lost.c

# Services have no home: -o is enough for them, and a path for the others.
homeless() { env -u HOME -u XDG_DATA_HOME "$@"; }
(cd there && status 134 homeless rethread record --until-failure -o ../trace ../lost >/dev/null 2>&1)
homeless rethread reproduce trace >out 2>&1 || fail "$(cat out)"
homeless rethread replay ./trace >out 2>&1 || fail "$(cat out)"
status 4 homeless rethread info 2>err
has err 'neither XDG_DATA_HOME nor HOME is set'

# A copy is as good as the trace itself; two commands may take the twin out of the program at the same time.
mkdir copy
cp trace/log.* trace/*.json trace/schedule copy
for i in 1 2 3 4 5 6; do
	rethread replay ./copy >out.$i 2>&1 & pids[$i]=$!
done
for i in 1 2 3 4 5 6; do wait "${pids[$i]}" || fail "$(cat out.$i)"; done
same "$(ls copy | sed -n /new/p)" ""
homeless rethread rm trace
[ ! -e trace ]

# What cannot be written is said before the work.
status 4 rethread reproduce ./copy --smt2 nowhere/f 2>err
has err 'cannot write nowhere/f'
status 4 rethread reproduce ./copy --json nowhere/f 2>err
has err 'cannot write nowhere/f'

# Without the program, or with another; the directory may be gone.
mv lost kept
for c in replay reproduce infer; do
	status 4 rethread $c ./copy 2>err
	has err 'cannot read .*/lost .*the program that was recorded'
done
rethread explain ./copy >out
rethread cc -O2 -g -pthread -I"$ROOT/tests/e2e" -DOTHER=1 -O1 -o lost lost.c
status 4 rethread replay ./copy 2>err
has err 'built again since it was recorded'
mv kept lost
rmdir there
rethread replay ./copy >out 2>&1 || fail "$(cat out)"
has out '^reproduced 1/1$'
