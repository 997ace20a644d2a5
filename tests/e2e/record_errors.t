# Mistakes are told in one sentence, with the exit codes of the manual.
echo 'int main(void) { return 0; }' >p.c
clang-19 p.c -o plain
status 4 rethread record ./plain 2>err
has err 'not built by rethread' 'rethread cc'
status 4 rethread record ./missing 2>err
has err 'cannot run ./missing'
status 2 rethread record 2>err
has err 'which program' usage
status 2 rethread record --scheme nope ./plain 2>err
has err 'no scheme .nope' 'path\+sync'
status 2 rethread record --timeout soon ./plain 2>err
has err '--timeout takes a number'
status 2 rethread record --max-log 12Q ./plain 2>err
has err 'max-log'
for size in 0 100 3k 99999999999999999999G; do
	status 2 rethread record --max-log $size ./plain 2>err
	has err 'max-log'
done
status 2 rethread record --fail-if '' ./plain 2>err
has err '--fail-if takes a command'
status 2 rethread nonsense 2>err
has err 'no command .nonsense'
status 4 rethread info 2>err
has err 'no trace yet'
status 4 rethread dump nosuch 2>err
has err 'no trace nosuch'
rethread cc p.c -o p
rethread record -o here ./p 2>/dev/null
status 4 rethread record -o here ./p 2>err
has err 'not empty'
RETHREAD_OPTIONS=shceme=path ./p 2>err
has err 'shceme'
rethread help >out
has out 'record' 'replay'
rethread help record >out
has out '--until-failure'
rethread record --help >out
has out '--until-failure'
