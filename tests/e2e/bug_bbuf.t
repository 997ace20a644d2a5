# bugs/bbuf.c: a condition variable waited for without a loop.
proven "$BUGS/bbuf.c"
harmless "$BUGS/bbuf.c"

# A log belongs to the build it was made with: the fixed program does not "reproduce" what the buggy one did.
rethread record --until-failure --runs 2000 -- ./p 4 >recorded 2>err && fail "did not fail: $(cat err)"
cp fixed p
status 4 rethread reproduce >out 2>&1
has out 'was built again since it was recorded'
