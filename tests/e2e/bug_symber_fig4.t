# bugs/symber_fig4.c, the paper's example: a read between two locked sections of the other thread. Its window is a
# few nanoseconds, so how often it fails depends on the machine.
PATIENCE=40 TRY="20000 5000 8000 12000 30000 50000 2000" proven "$BUGS/symber_fig4.c"
harmless "$BUGS/symber_fig4.c"
