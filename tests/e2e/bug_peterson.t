# bugs/peterson.c: mutual exclusion that needs SC. A log of the hardware's store buffers: two cores that are free at the same
# time are needed, so it may not come here; replay_tso.t needs no luck.
RARE="1 2 3" proven "$BUGS/peterson.c"
if [ -e p ] && grep -q '^rethread: trace: ' err; then
	grep -q '^model tso$' "$(latest)/schedule" || fail "not under TSO: $(head -n 5 "$(latest)/schedule")"
fi
