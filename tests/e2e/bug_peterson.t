# bugs/peterson.c: mutual exclusion that needs SC. A log of the hardware's store buffers: two cores that are free at the same
# time are needed, so it may not come here; replay_tso.t needs no luck.
PATIENCE=40 TRY="80 200" proven "$BUGS/peterson.c"
if grep -q '^rethread: trace: ' err; then
	has "$(latest)/schedule" '^model tso$'
	rethread explain >out
	has out '^Whose stores came late:$' 'neither saw what the other had written'
fi
