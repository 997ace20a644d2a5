# Several sources in one command: what the compiler says comes in their order, all are compiled when one has errors, and the last one
# writes a file that was named for all of them, as with clang, though they are compiled side by side.
printf '#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\nint main(void) { int first; return 0; }\n' >slow.c
printf 'int f(void) { int second; return 0; }\n' >fast.c
printf 'int g(void) { int third; return 0; }\n' >last.c
rethread cc -Wall -MD -MF all.d slow.c fast.c last.c -o p 2>err
same "$(grep -o "variable '[a-z]*'" err | tr '\n' ' ')" "variable 'first' variable 'second' variable 'third' "
has all.d '^p: last.c'
echo 'int e(void) { return unknown; }' >bad.c
status 1 rethread cc -Wall -save-temps bad.c fast.c last.c slow.c -o q 2>err
has err "identifier 'unknown'" "'second'" "'third'" "'first'"
[ ! -e q ] || fail "linked in spite of an error"
# At a terminal clang speaks in colours, also where it is asked for its jobs first.
if command -v script >/dev/null; then
	TERM=xterm script -qec "rethread cc -Wall fast.c slow.c -o p" /dev/null >out
	grep -q "$(printf '\033\[')" out || fail "no colours at a terminal: $(cat out)"
	TERM=xterm script -qec "rethread cc -Wall -fno-color-diagnostics fast.c slow.c -o p" /dev/null >out
	! grep -q "$(printf '\033\[')" out || fail "colours in spite of the option: $(cat out)"
fi
# A sanitizer that was turned off again is none; a TMPDIR that does not exist is no reason not to link.
rethread cc -fsanitize=thread -fno-sanitize=thread slow.c -o p 2>err
recordable p
rethread cc -c slow.c
TMPDIR=/no/such/folder rethread cc slow.o -o p
recordable p
