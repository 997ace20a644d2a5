# make install gives a tool that works from there, man page and completion included.
make -s -C "$ROOT" install RETHREAD_NO_SETUP=1 DESTDIR="$PWD/d" PREFIX=/opt/r >log 2>&1 || fail "$(cat log)"
export PATH=$PWD/d/opt/r/bin:/usr/bin:/bin
echo 'int main(void) { return 6; }' >p.c
rethread-cc p.c -o p
recordable p
status 6 rethread record ./p 2>err
has err 'exit status 6'
[ -s d/opt/r/share/man/man1/rethread.1 ] || fail "man page"
bash -n d/opt/r/share/bash-completion/completions/rethread
echo 'int f(void) { return 5; }' >f.c
echo 'int f(void); int main(void) { return f(); }' >q.c
rethread-cc -fPIC -shared f.c -o libf.so
rethread-cc q.c ./libf.so -o q
rm libf.so
status 5 rethread record ./q 2>err
