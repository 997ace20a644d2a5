# bugs/sim_race.c: workers update a pair without a lock.
proven "$BUGS/sim_race.c"
harmless "$BUGS/sim_race.c"
