# A temporary folder without room for the twin is named as what it is. Only root can make one.
mkdir small
mount -t tmpfs -o size=200k none small 2>/dev/null || { echo "NOTE: no folder without room could be made"; exit 0; }
trap 'umount small' EXIT
printf 'int main(void) { return 0; }\n' >p.c
TMPDIR=$PWD/small status 4 rethread cc -O1 p.c -o p 2>err
has err 'small has no room for what a link makes beside p: make some, or set TMPDIR'
[ ! -e p ] || fail "a program was left behind"
