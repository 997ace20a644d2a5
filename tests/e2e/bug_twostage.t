# bugs/twostage.c: two-stage access, 16 threads.
proven "$BUGS/twostage.c"
harmless "$BUGS/twostage.c"
