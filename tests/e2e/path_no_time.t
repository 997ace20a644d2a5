# Scheme path without time stamps: nothing but the paths.
rethread cc -O2 -g -pthread "$BUGS/twostage.c" -o p
RETHREAD_OPTIONS=time=0 rethread record --scheme path --until-failure --runs 2000 -- ./p 2 >recorded 2>err || :
has err '^rethread: trace: '
rethread reproduce --no-time --budget 100 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
has out '^reproduced 20/20$'
