# bugs/mysql_deadlock.c: two locks in opposite order.
proven "$BUGS/mysql_deadlock.c"
harmless "$BUGS/mysql_deadlock.c"
