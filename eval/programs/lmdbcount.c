/* Threads increment numbers in a database that is a mapped file; nothing may get lost. For eval/real.sh. */
#include <assert.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
enum { THREADS = 3, ROUNDS = 15, KEYS = 4 };
static MDB_env *env;
static MDB_dbi dbi;
static long change(MDB_txn *txn, int k, long by)
{
	MDB_val key = {sizeof k, &k}, data;
	long n = 0;
	if (mdb_get(txn, dbi, &key, &data) == 0)
		memcpy(&n, data.mv_data, sizeof n);
	n += by;
	data = (MDB_val){sizeof n, &n};
	if (by) {
		int r = mdb_put(txn, dbi, &key, &data, 0);
		assert(r == 0);
	}
	return n;
}
static void *work(void *p)
{
	for (int i = 0; i < ROUNDS; i++) {
		MDB_txn *txn;
		int r = mdb_txn_begin(env, NULL, 0, &txn);
		assert(r == 0);
		change(txn, (int)((i + (long)p) % KEYS), 1);
		r = mdb_txn_commit(txn);
		assert(r == 0);
	}
	return NULL;
}
int main(void)
{
	MDB_txn *txn;
	int r = mdb_env_create(&env) || mdb_env_open(env, "lmdbcount.data", MDB_NOSUBDIR | MDB_NOSYNC, 0600) ||
		mdb_txn_begin(env, NULL, 0, &txn) || mdb_dbi_open(txn, NULL, 0, &dbi) || mdb_drop(txn, dbi, 0) || mdb_txn_commit(txn);
	assert(r == 0);
	pthread_t t[THREADS];
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	long sum = 0;
	r = mdb_txn_begin(env, NULL, MDB_RDONLY, &txn);
	assert(r == 0);
	for (int k = 0; k < KEYS; k++)
		sum += change(txn, k, 0);
	mdb_txn_abort(txn);
	printf("%ld\n", sum);
	assert(sum == THREADS * ROUNDS);
	mdb_env_close(env);
	return 0;
}
