# bugs/racey.c: every access races, and where a thread reads and writes next depends on what it has read. Every second
# signature counts as bad here, so that a failure comes soon on any machine.
rethread cc -O2 -g -pthread "$BUGS/racey.c" -o racey
rethread record --until-failure --runs 60 --timeout 20 --fail-if "grep -q '^signature .*[02468ace]\$'" -- ./racey 300 >recorded 2>err || true
has err '^rethread: trace: '
rethread reproduce --budget 60 >out 2>&1 || fail "not reproduced: $(cat err out)"
has out 'reproduced and proven by replay'
rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
has out '^reproduced 20/20$'
