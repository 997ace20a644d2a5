# The sections survive strip, the build-id is SHA-1 sized, the program's mode follows the umask.
echo 'int main(void) { return 0; }' >p.c
rethread cc -O2 p.c -o p
recordable p
strip -o q p
recordable q
./q
readelf -n p | grep -Eq 'Build ID: [0-9a-f]{40}$' || fail "build-id"
same "$(stat -c %a p)" "$(clang-19 p.c -o c && stat -c %a c)"
rethread cc -O2 p.c -o p2
cmp p p2 || fail "two links of the same program differ"
