# Arguments that are easily mangled: quotes, dollars, backslashes, spaces, newlines, response files.
cat >p.c <<'E'
#include <stdio.h>
int main(void) { puts(TEXT); return 0; }
E
rethread cc '-DTEXT="a \"q\" $HOME \\ end"' p.c -o 'my prog'
recordable 'my prog'
same "$(./my\ prog)" 'a "q" $HOME \ end'
printf '%s\n' "'-DTEXT=\"from a file\"'" p.c -o q >args
rethread cc @args
recordable q
same "$(./q)" 'from a file'
echo 'int main(void) { return 7; }' | rethread cc -x c - -o r
status 7 ./r
rethread cc -DTEXT='"x"' p.c -o /dev/null
rethread cc -v -DTEXT='"x"' p.c -o s 2>err
has err '"-cc1"' 'ld.lld' 'load-pass-plugin'
rethread cc '-###' -DTEXT='"x"' p.c -o none 2>err
[ ! -e none ] || fail "-### must not build"
has err '"-cc1"'
