# bugs/sim_race.c: workers update a pair without a lock.
TRY="1 20 200" proven "$BUGS/sim_race.c"
harmless "$BUGS/sim_race.c"
