/* logsize DIR: branch bits, bytes of path words and time stamps, synchronization operations, bytes of their entries. */
#include "trace/trace.h"

int main(int argc, char **argv)
{
	struct error err;
	struct trace *t = argc == 2 ? trace_open(argv[1], &err) : NULL;
	if (!t)
		return 1;
	unsigned long long bits = 0, path = 0, syncs = 0, sync = 0;
	for (uint32_t i = 0; i < t->nthreads; i++) {
		const struct trace_thread *thread = &t->threads[i];
		bits += thread->nbits;
		path += thread->npath * sizeof *thread->path + thread->ntimes * sizeof *thread->times;
		syncs += thread->info.sync_done;
		sync += thread->sync_bytes;
	}
	printf("%llu %llu %llu %llu\n", bits, path, syncs, sync);
	trace_free(t);
	return 0;
}
