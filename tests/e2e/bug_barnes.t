# bugs/barnes.c: wrong output, judged by a predicate.
proven "$BUGS/barnes.c"
harmless "$BUGS/barnes.c"
