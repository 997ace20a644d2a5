# bugs/apache_deadlock.c: a hang that no cycle of locks shows: one waits for a queue's slot, holding the lock that the other needs.
LIMIT=3 proven "$BUGS/apache_deadlock.c"
harmless "$BUGS/apache_deadlock.c"
