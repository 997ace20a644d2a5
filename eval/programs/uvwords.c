/* Hashes pieces of text on libuv's pool and sums up on its loop; gives up with status 3 when work does not come back. For eval/real.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#define JOBS 120

struct job {
	uv_work_t req;
	int id;
	unsigned hash;
	char text[64];
};

static int done;
static unsigned total;
static uv_timer_t patience;

static void hash(uv_work_t *req)
{
	struct job *j = req->data;
	unsigned h = 5381;
	for (char *s = j->text; *s; s++)
		h = h * 33 + (unsigned char)*s;
	j->hash = h;
}

static void add(uv_work_t *req, int status)
{
	struct job *j = req->data;
	total += j->hash;
	if (status == 0 && ++done == JOBS)
		uv_close((uv_handle_t *)&patience, NULL);
	free(j);
}

static void give_up(uv_timer_t *t)
{
	(void)t;
	fprintf(stderr, "%d of %d jobs came back\n", done, JOBS);
	exit(3);
}

int main(void)
{
	uv_loop_t *loop = uv_default_loop();
	uv_timer_init(loop, &patience);
	uv_timer_start(&patience, give_up, 300, 0);
	for (int i = 0; i < JOBS; i++) {
		struct job *j = calloc(1, sizeof *j);
		j->id = i;
		j->req.data = j;
		snprintf(j->text, sizeof j->text, "piece %d of the whole", i);
		uv_queue_work(loop, &j->req, hash, add);
	}
	uv_run(loop, UV_RUN_DEFAULT);
	printf("%d %u\n", done, total);
	return 0;
}
