#include "cc/job.h"

#include "base/interrupt.h"
#include "cc/response.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---------------------------------------------------------------- strings */

void strings_insert(strings *s, size_t at, const char *text)
{
	*vec_push(s) = NULL;
	memmove(s->at + at + 1, s->at + at, (s->n - 1 - at) * sizeof *s->at);
	s->at[at] = xstrdup(text);
}

void strings_add(strings *s, const char *text)
{
	strings_insert(s, s->n, text);
}

void strings_remove(strings *s, size_t at)
{
	free(s->at[at]);
	memmove(s->at + at, s->at + at + 1, (s->n - 1 - at) * sizeof *s->at);
	s->n--;
}

strings strings_copy(const strings *s)
{
	strings copy = {0};
	for (size_t i = 0; i < s->n; i++)
		strings_add(&copy, s->at[i]);
	return copy;
}

char **strings_end(strings *s)
{
	*vec_push(s) = NULL;
	s->n--;
	return s->at;
}

void strings_release(strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->at[i]);
	vec_free(s);
}

/* ---------------------------------------------------------------- asking clang */

/* One quoted word of clang's, undone; *text is moved behind it. */
static char *parse_word(const char **text)
{
	const char *p = *text + 1;
	char *word = xmalloc(strlen(p) + 1), *to = word;
	for (; *p && *p != '"'; p++) {
		if (*p == '\\' && p[1])
			p++;
		*to++ = *p;
	}
	*to = 0;
	*text = *p ? p + 1 : p;
	return word;
}

static void parse_job(struct jobs *jobs, const char **text)
{
	struct job job = {.status = -1};
	const char *p = *text;
	while (p[0] == ' ' && p[1] == '"') {
		p++;
		*vec_push(&job.argv) = parse_word(&p);
	}
	*vec_push(&jobs->list) = job;
	*text = p;
}

static bool is_banner(const char *line, size_t n)
{
	static const char *const prefixes[] = {"Target: ", "Thread model: ", "InstalledDir: ",
					       "Build config: ", "Configuration file: ",
					       " (in-process)", "Found candidate ",
					       "Selected ", "Candidate multilib: "};
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (!strncmp(line, prefixes[i], strlen(prefixes[i])))
			return true;
	return memmem(line, n, "clang version ", 14) != NULL;
}

void jobs_parse(struct jobs *jobs, const char *text)
{
	size_t kept = 0;
	jobs->remarks = xmalloc(strlen(text) + 1);
	for (const char *p = text; *p;) {
		if (p[0] == ' ' && p[1] == '"')
			parse_job(jobs, &p);
		size_t n = strcspn(p, "\n");
		n += p[n] == '\n';
		if (*p != '\n' && !is_banner(p, n)) {
			memcpy(jobs->remarks + kept, p, n);
			kept += n;
		}
		p += n;
	}
	jobs->remarks[kept] = 0;
}

bool jobs_ask(struct jobs *jobs, char **argv, const char *tmp, struct error *err)
{
	char *said = xasprintf("%s/jobs", tmp);
	char *in_tmp = xasprintf("TMPDIR=%s", tmp);
	struct job ask = {.output = said};
	strings_add(&ask.argv, argv[0]);
	strings_add(&ask.argv, "-###");
	for (size_t i = 1; argv[i]; i++)
		strings_add(&ask.argv, argv[i]);
	strings_add(&ask.environment, in_tmp);
	err->text[0] = 0;
	char *text;
	bool ok = !jobs_run(&ask, 1, 1, false) && read_file(said, &text, NULL, err);
	if (ok) {
		jobs_parse(jobs, text);
		free(text);
	} else if (ask.status == 127) {
		fail(err, "cannot run %s: is it installed? RETHREAD_CC and RETHREAD_CXX name another", argv[0]);
	}
	job_release(&ask);
	free(said);
	free(in_tmp);
	return ok;
}

void job_release(struct job *job)
{
	strings_release(&job->argv);
	strings_release(&job->environment);
}

void jobs_release(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->list.n; i++)
		job_release(&jobs->list.at[i]);
	vec_free(&jobs->list);
	free(jobs->remarks);
	jobs->remarks = NULL;
}

/* ---------------------------------------------------------------- running */

static bool goes_to(const char *path, int stream)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return fd >= 0 && dup2(fd, stream) >= 0;
}

static pid_t job_start(struct job *job)
{
	char **argv = strings_end(&job->argv);
	pid_t pid = fork();
	if (pid)
		return pid;
	if ((job->output && (!goes_to(job->output, 2) || dup2(2, 1) < 0)) || (job->printed && !goes_to(job->printed, 1)))
		_exit(126);
	for (size_t i = 0; i < job->environment.n; i++)
		putenv(job->environment.at[i]);
	execvp(argv[0], response_shorten(argv));
	dprintf(2, "rethread: cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Does `job` read what `earlier` writes? */
static bool job_reads(const struct job *job, const struct job *earlier)
{
	for (size_t i = 0; i + 1 < earlier->argv.n; i++) {
		if (strcmp(earlier->argv.at[i], "-o"))
			continue;
		for (size_t j = 1; j < job->argv.n; j++)
			if (!strcmp(job->argv.at[j], earlier->argv.at[i + 1]))
				return true;
	}
	return false;
}

/* Do both write a file that the user has named for all of them (-MF, --serialize-diagnostics)? As with clang the last one's stays. */
static bool write_one_file(const struct job *a, const struct job *b)
{
	static const char *const options[] = {"-dependency-file", "-serialize-diagnostic-file", "-header-include-file"};
	for (size_t i = 1; i + 1 < a->argv.n; i++)
		for (size_t j = 1; IS_ONE_OF(a->argv.at[i], options) && j + 1 < b->argv.n; j++)
			if (!strcmp(a->argv.at[i], b->argv.at[j]) && !strcmp(a->argv.at[i + 1], b->argv.at[j + 1]))
				return true;
	return false;
}

static bool job_ready(const struct job *jobs, const pid_t *pids, size_t which)
{
	for (size_t i = 0; i < which; i++)
		if (pids[i] > 0 && (job_reads(&jobs[which], &jobs[i]) || write_one_file(&jobs[which], &jobs[i])))
			return false;
	return true;
}

/* The status of a job before it that failed, and without whose output it cannot be run; else 0. */
static int job_lacks(const struct job *jobs, size_t which)
{
	for (size_t i = 0; i < which; i++)
		if (jobs[i].status > 0 && job_reads(&jobs[which], &jobs[i]))
			return jobs[i].status;
	return 0;
}

/*
 * pids: 0 = not started, > 0 = running, -1 = over. Jobs start in order, so that one which is not
 * ready holds up only what comes after it; the jobs of one input are neighbours anyway.
 */
static int reap(struct job *jobs, pid_t *pids, size_t n)
{
	int raw;
	pid_t pid = waitpid(-1, &raw, 0);
	if (pid < 0) {
		for (size_t i = 0; interrupt_signal() && i < n; i++)
			if (pids[i] > 0)
				kill(pids[i], interrupt_signal());
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		if (pids[i] != pid)
			continue;
		pids[i] = -1;
		jobs[i].status = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
		return jobs[i].status;
	}
	return 0;
}

int jobs_run(struct job *jobs, size_t n, unsigned parallel, bool keep_going)
{
	pid_t *pids = xcalloc(n, sizeof *pids);
	size_t next = 0, running = 0, over = 0;
	int status = 0;
	for (size_t i = 0; i < n; i++)
		jobs[i].status = -1;
	while (over < n) {
		bool more = next < n && (!status || keep_going) && !interrupt_signal();
		if (more && job_lacks(jobs, next)) {
			jobs[next].status = job_lacks(jobs, next);
			pids[next++] = -1;
			over++;
			continue;
		}
		if (more && running < parallel && job_ready(jobs, pids, next)) {
			pids[next] = job_start(&jobs[next]);
			if (pids[next] < 0) {
				warn("cannot start a process: %s", strerror(errno));
				jobs[next].status = 126;
				status = status ? status : 126;
				over++;
			} else {
				running++;
			}
			next++;
			continue;
		}
		if (!running)
			break;
		int got = reap(jobs, pids, next);
		status = status ? status : got;
		size_t still = 0;
		for (size_t i = 0; i < next; i++)
			still += pids[i] > 0;
		over += running - still;
		running = still;
	}
	free(pids);
	if (!status && interrupt_signal())
		status = 128 + interrupt_signal();
	return status;
}

void job_print(const struct job *job)
{
	for (size_t i = 0; i < job->argv.n; i++) {
		fputs(" \"", stderr);
		for (const char *c = job->argv.at[i]; *c; c++) {
			if (strchr("\"\\$", *c))
				fputc('\\', stderr);
			fputc(*c, stderr);
		}
		fputc('"', stderr);
	}
	fputc('\n', stderr);
}
