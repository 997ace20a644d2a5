#include "trace/store.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* NULL: nobody said where. */
static char *find_root(void)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	if (data && data[0] == '/')
		return xasprintf("%s/rethread/traces", data);
	if (home && *home)
		return xasprintf("%s/.local/share/rethread/traces", home);
	return NULL;
}

char *traces_root(void)
{
	char *root = find_root();
	if (!root)
		die(EXIT_ERROR, "neither XDG_DATA_HOME nor HOME is set, so there is no folder of traces: give `rethread record -o DIR', "
				"and DIR to the other commands");
	return root;
}

char *traces_new(const char *program, unsigned long run)
{
	const char *slash = strrchr(program, '/');
	char *name = xstrdup(slash ? slash + 1 : program), *root = traces_root(), stamp[32];
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			*c = '_';
	time_t now = time(NULL);
	struct tm tm;
	localtime_r(&now, &tm);
	strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &tm);
	char *path = run > 1 ? xasprintf("%s/%.100s-%s-%d.%lu", root, name, stamp, (int)getpid(), run)
			     : xasprintf("%s/%.100s-%s-%d", root, name, stamp, (int)getpid());
	free(name);
	free(root);
	return path;
}

static bool is_directory(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

char *traces_find(const char *name, struct error *err)
{
	char *path = NULL;
	if (!name || !strchr(name, '/')) {
		char *root = name ? find_root() : traces_root();
		path = xasprintf("%s/%s", root ? root : ".", name ? name : "latest");
		free(root);
		if (!is_directory(path) && name) {
			free(path);
			path = xstrdup(name);
		}
	} else {
		path = xstrdup(name);
	}
	char *absolute = realpath(path, NULL);
	if (absolute && is_directory(absolute)) {
		free(path);
		return absolute;
	}
	if (!name)
		fail(err, "there is no trace yet: rethread record makes one");
	else
		fail(err, "there is no trace %s; rethread ls lists them", name);
	free(absolute);
	free(path);
	return NULL;
}

bool traces_holds(const char *dir)
{
	char *named = find_root(), *root = named ? realpath(named, NULL) : NULL;
	char *path = realpath(dir, NULL), *slash = path ? strrchr(path, '/') : NULL;
	bool holds = root && slash && (size_t)(slash - path) == strlen(root) && !strncmp(path, root, strlen(root));
	free(path);
	free(root);
	free(named);
	return holds;
}

void traces_set_latest(const char *dir)
{
	char *root = find_root();
	if (!root)
		return;
	char *latest = xasprintf("%s/latest", root), *new = xasprintf("%s/.latest-%d", root, (int)getpid());
	char *target = realpath(dir, NULL);
	struct error err;
	if (!make_dirs(root, &err))
		warn("%s", err.text);
	else if (!target || (unlink(new), symlink(target, new)) || rename(new, latest))
		warn("cannot point %s at the trace: %s", latest, strerror(errno));
	free(target);
	free(new);
	free(latest);
	free(root);
}

struct found {
	char *name;
	struct timespec when;
};

static int newer(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	if (x->when.tv_sec != y->when.tv_sec)
		return x->when.tv_sec < y->when.tv_sec ? 1 : -1;
	if (x->when.tv_nsec != y->when.tv_nsec)
		return x->when.tv_nsec < y->when.tv_nsec ? 1 : -1;
	return strcmp(x->name, y->name);
}

size_t traces_list(char ***names)
{
	char *root = traces_root();
	vec(struct found) list = {0};
	DIR *dir = opendir(root);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct stat st;
		if (e->d_name[0] == '.' || !strcmp(e->d_name, "latest") ||
		    fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode))
			continue;
		*vec_push(&list) = (struct found){xstrdup(e->d_name), st.st_mtim};
	}
	if (dir)
		closedir(dir);
	free(root);
	if (list.n)
		qsort(list.at, list.n, sizeof *list.at, newer);
	*names = xcalloc(list.n + 1, sizeof **names);
	size_t n = list.n;
	for (size_t i = 0; i < n; i++)
		(*names)[i] = list.at[i].name;
	vec_free(&list);
	return n;
}

void traces_mend_latest(void)
{
	char *root = find_root(), **names;
	if (!root)
		return;
	char *latest = xasprintf("%s/latest", root);
	size_t n = traces_list(&names);
	if (access(latest, F_OK)) {
		unlink(latest);
		if (n) {
			char *dir = xasprintf("%s/%s", root, names[0]);
			traces_set_latest(dir);
			free(dir);
		}
	}
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
	free(latest);
	free(root);
}

static int open_held(const char *dir, int how)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || !flock(fd, how | LOCK_NB))
		return fd;
	int why = errno;
	close(fd);
	errno = why;
	return -1;
}

int trace_hold(const char *dir)
{
	return open_held(dir, LOCK_SH);
}

bool trace_is_held(const char *dir)
{
	int fd = open_held(dir, LOCK_EX);
	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == EWOULDBLOCK;
}
