# bugs/piper.c: if in place of while around a wait.
proven "$BUGS/piper.c"
harmless "$BUGS/piper.c"
