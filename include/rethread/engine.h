/*
 * The contract between the twin's runtime and the inference engine it loads in infer mode
 * (librethread_engine.so, src/sym/): dlopen, then rethread_engine_start, once, from the twin's first
 * constructor. From then on functions of the program that native code calls come to `enter`, and
 * interposed functions to the others, on whatever thread they are called.
 */
#ifndef RETHREAD_ENGINE_H
#define RETHREAD_ENGINE_H

#include <pthread.h>
#include <rethread/instrument.h>
#include <rethread/trace.h>
#include <stdbool.h>

struct rt_engine_config {
	uint32_t abi;
	const struct rt_twin_module *module;
	const char *trace; /* directory of the trace */
	const char *code;  /* translated code (src/sym/code.h) */
	const char *state; /* directory for what one run tells the next, and for the result */
	/* The functions themselves, for the engine's own use. */
	int (*real_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*real_join)(pthread_t, void **);
	/*
	 * The calling thread's switch: while *it is non-zero malloc serves the engine and not the program, so that what
	 * the engine allocates does not move the program's memory.
	 */
	int *(*engine_heap)(void);
	/* Memory handed out to the program by malloc: the block around address, or false. */
	bool (*heap_block)(uint64_t address, uint64_t *start, uint64_t *size, bool *freed);
	/* Would the C library mark a block of that size, should the calling thread give one back now? */
	bool (*heap_marks)(uint64_t size);
	/* Calls the program's handler of a signal, with this siginfo_t; false when it has none. */
	bool (*deliver)(int signal, const void *info);
	/* How many bytes the program has mapped for itself and other processes, to write to: what those wrote is not in the log. */
	uint64_t (*shared_bytes)(void);
};

/* Does the calling thread run the routine? FOREIGN: not a call of the program. */
enum rt_once { RT_ONCE_DONE, RT_ONCE_RUNS, RT_ONCE_FOREIGN };

/* What a step of kind `ordered` (trace.h) is, which counts where no order was recorded. */
enum rt_step {
	RT_STEP_READ_LOCK,
	RT_STEP_WRITE_LOCK,
	RT_STEP_UNLOCK, /* of a read-write lock */
	RT_STEP_TAKE,   /* sem_wait and the like */
	RT_STEP_POST,
	RT_STEP_ARRIVE, /* at a barrier */
	RT_STEP_LEAVE,
	RT_STEP_ONCE_RUNS, /* about to run the routine */
	RT_STEP_ONCE,      /* pthread_once comes back */
};

/*
 * Interposed calls come as the steps they are made of (trace.h, "Order of synchronization"); `what` is the name of
 * the function. Results are what the recorded call returned.
 */
struct rt_engine {
	uint32_t abi;
	void (*enter)(uint32_t symbol, const uint64_t *in, uint64_t *out);
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*join)(pthread_t, void **, const char *what);
	int (*acquire)(const void *object, const char *what);
	void (*release)(const void *object, const char *what);
	int (*wait)(const void *condition, const void *mutex, const char *what); /* both steps */
	void (*signal)(const void *condition, bool all, const char *what);
	int (*ordered)(const void *object, enum rt_step step, const char *what);
	void (*plain)(const char *what);
	enum rt_once (*once)(const void *control); /* pthread_once; RT_ONCE_RUNS is a step */
	void (*exit)(void *result);        /* pthread_exit; does not return */
	/* longjmp of native code; returns when no setjmp of the program's own code filled the buffer. */
	void (*jump)(const void *buffer, int value);
	void (*leave)(void);               /* _exit of native code; returns where that is none of the program's */
	/*
	 * A function of inputs.def is called: what it did in the recorded run; NULL when that is not a call of the
	 * program. Does not return where the recorded run never came back from it. The others are what it does to
	 * the program's memory: `writes` does it; `shows` reads, and found these bytes in the recorded run.
	 */
	const struct rt_input *(*input)(uint32_t function, const char *what);
	void (*input_done)(void); /* and all of it has been given */
	void (*reads)(const void *from, uint64_t size);
	void (*writes)(void *to, const void *bytes, uint64_t size);
	void (*shows)(const void *from, const void *bytes, uint64_t size);
	void (*cancel)(pthread_t);         /* pthread_cancel */
	/* A call in which a thread may be cancelled, and nothing else. Does not return when it was. */
	int (*point)(const char *what);
	/* The calling thread allocates: where the block is to be, from RT_MIRROR on (schedule.h); 0: anywhere. */
	uint64_t (*place)(uint64_t size, uint64_t align);
};

/* NULL when the engine cannot start; the reason is then in the file STATE/error. */
const struct rt_engine *rethread_engine_start(const struct rt_engine_config *config);
typedef const struct rt_engine *rt_engine_start_fn(const struct rt_engine_config *config);

#endif
