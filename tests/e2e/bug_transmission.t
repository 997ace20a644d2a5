# bugs/transmission.c: a handle is used before it is assigned: the creator never came back from pthread_create.
proven "$BUGS/transmission.c"
harmless "$BUGS/transmission.c"
