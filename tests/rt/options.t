# Mistyped options are reported, once, and the program runs on.
program p <<'E'
#include "recorded.h"
int main(void) { B(1); return 3; }
E
mkdir t
RETHREAD_OPTIONS=dir=t,colour=red,max-log=1Q,tries=many,tries=3 status 3 ./p 2>err
same "$(cat err)" "rethread: unknown option in RETHREAD_OPTIONS: colour=red
rethread: bad value of option in RETHREAD_OPTIONS: max-log=1Q
rethread: bad value of option in RETHREAD_OPTIONS: tries=many"
dump t
has dump '^flags 4 '
RETHREAD_OPTIONS=off status 3 ./p 2>err
RETHREAD_OPTIONS=dir=missing status 3 ./p 2>>err
same "$(cat err)" "rethread: nothing is recorded, cannot make the log in: missing"
RETHREAD_OPTIONS=scheme=pth status 3 ./p 2>err
same "$(cat err)" "rethread: bad value of option in RETHREAD_OPTIONS: scheme=pth
rethread: nothing is recorded: RETHREAD_OPTIONS has no dir=DIR to record to"
RETHREAD_OPTIONS=of status 3 ./p 2>err
has err '^rethread: unknown option in RETHREAD_OPTIONS: of$'
RETHREAD_OPTIONS= status 3 ./p 2>err
same "$(cat err)" ""
