# Bitcode and twin move to a companion file; recording and replaying find it by build-id.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
static volatile int x;
static void *set(void *a) { x = 1; return a; }
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, set, 0);
	pthread_join(t, 0);
	assert(!x);
}
P
rethread cc -O2 -g p.c -o p
cp p whole
same "$(rethread strip p)" p.rethread
[ -x p ] || fail "not executable any more"
[ "$(stat -c %s p)" -lt "$(stat -c %s whole)" ] || fail "not smaller"
sections=$(readelf -SW p 2>&1)
case "$sections" in *.rethread.*) fail "sections are still there" ;; *Warning*) fail "$sections" ;; esac
eu-elflint --gnu-ld p >lint 2>&1 || grep -v 'rethread' lint || :
readelf -SW p.rethread >out 2>&1
has out '\.rethread\.bc' '\.rethread\.twin' 'build-id'
status 134 rethread record ./p 2>err
printf 'rethread-schedule 1\n' >empty
rethread replay --schedule empty >out 2>err
has out 'reproduced 1/1'
status 0 rethread reproduce >out 2>err
# Away from the program, by build-id only.
rm -r "$(latest)"
cp whole p
path=$(rethread strip --store p)
case $path in "$XDG_DATA_HOME"/rethread/debug/??/*.rethread) ;; *) fail "$path" ;; esac
rm p.rethread
status 134 rethread record ./p 2>err
rethread replay --schedule empty >out 2>err
has out 'reproduced 1/1'
# Another program's companion is none.
sed -i 's/x = 1/x = 2/' p.c
rethread cc -O2 -g p.c -o q
rethread strip -o p.rethread q >out
rm "$path"
status 4 rethread record ./p 2>err
has err 'was not built by rethread'
status 4 rethread strip p 2>err
has err 'nothing to move'
status 4 rethread strip p.c 2>err
