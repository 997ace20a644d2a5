# bugs/apache21287.c: released twice: abort.
proven "$BUGS/apache21287.c"
harmless "$BUGS/apache21287.c"
