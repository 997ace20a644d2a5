# Colours are for terminals, and for those who want them; what is for programs is JSON, and nothing but progress goes to a terminal only.
cat >lost.c <<'P'
#include "race.h"
int main(void)
{
	both(6, 6);
	return judge();
}
P
rethread cc -O2 -g -pthread -I"$ROOT/tests/e2e" -o lost lost.c
rethread record -q --until-failure ./lost >/dev/null 2>&1 || true
rethread reproduce --json figures.json >out 2>err || fail "$(cat out err)"
terminal() { python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$@" </dev/null; }
escape=$(printf '\033')
terminal rethread explain >out
has out "$escape\["
NO_COLOR=1 terminal rethread explain >out
has out 'What the failure depends on'
for c in "explain" "dump" "info" "replay" "ls" "reproduce"; do
	rethread $c >>out 2>&1
done
NO_COLOR= terminal rethread explain >coloured
has coloured "$escape\["
if grep -q "$escape" out; then fail "escape sequences: $(cat -v out)"; fi
rethread dump --json >dump.json 2>err
rethread analyze lost --json >analyze.json
for f in dump analyze figures; do
	python3 -m json.tool <$f.json >/dev/null || fail "$f.json: $(cat $f.json)"
done
