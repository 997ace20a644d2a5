# Mistyped options are reported, once, and the program runs on.
program p <<'E'
#include "recorded.h"
int main(void) { B(1); return 3; }
E
mkdir t
RETHREAD_OPTIONS=dir=t,colour=red,max-log=1Q status 3 ./p 2>err
same "$(cat err)" "rethread: unknown option in RETHREAD_OPTIONS: colour=red
rethread: bad value of option in RETHREAD_OPTIONS: max-log=1Q"
dump t
has dump '^flags 4 '
RETHREAD_OPTIONS=off status 3 ./p 2>err
RETHREAD_OPTIONS=dir=missing status 3 ./p 2>>err
same "$(cat err)" "rethread: nothing is recorded, cannot make the log in: missing"
