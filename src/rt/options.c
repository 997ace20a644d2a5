#include "rt/options.h"

#include <rethread/trace.h>

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void rt_say(const char *message, const char *detail)
{
	char line[512];
	size_t n = 0;
	int saved = errno;
	const char *parts[] = {"rethread: ", message, *detail ? ": " : "", detail};

	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		for (const char *p = parts[i]; *p && n < sizeof line - 1; p++)
			line[n++] = *p;
	line[n++] = '\n';
	if (syscall(SYS_write, STDERR_FILENO, line, n) < 0) {
		/* Nowhere to say it. */
	}
	errno = saved;
}

/* A piece of the variable's value; not terminated. */
struct piece {
	const char *at;
	size_t size;
};

static bool is(struct piece p, const char *s)
{
	return strlen(s) == p.size && !memcmp(p.at, s, p.size);
}

static bool parse_dir(struct rt_options *o, struct piece v)
{
	/* Room is left for "/log.PID". */
	if (!v.size || v.size > sizeof o->dir - 32)
		return false;
	memcpy(o->dir, v.at, v.size);
	o->dir[v.size] = 0;
	return true;
}

static bool parse_scheme(struct rt_options *o, struct piece v)
{
	static const struct {
		const char *name;
		uint32_t scheme;
	} schemes[] = {
		{"off", RT_SCHEME_OFF},
		{"base", RT_SCHEME_BASE},
		{"path", RT_SCHEME_PATH},
		{"path+sync", RT_SCHEME_PATH_SYNC},
		{"rw", RT_SCHEME_RW},
		{"rw:leap", RT_SCHEME_RW_LEAP},
	};

	for (unsigned i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (is(v, schemes[i].name)) {
			o->scheme = schemes[i].scheme;
			return true;
		}
	return false;
}

static bool parse_max_log(struct rt_options *o, struct piece v)
{
	uint64_t n = 0;
	size_t i = 0;
	unsigned shift = 0;

	for (; i < v.size && v.at[i] >= '0' && v.at[i] <= '9'; i++) {
		if (n > UINT64_MAX / 16)
			return false;
		n = n * 10 + (uint64_t)(v.at[i] - '0');
	}
	if (i == 0 || v.size - i > 1)
		return false;
	if (i < v.size) {
		char suffix = v.at[i];

		shift = suffix == 'K' || suffix == 'k'   ? 10
			: suffix == 'M' || suffix == 'm' ? 20
			: suffix == 'G' || suffix == 'g' ? 30
							 : 0;
		if (!shift || n > UINT64_MAX >> shift)
			return false;
	}
	o->max_log = n << shift;
	return true;
}

static bool parse_switch(bool *on, struct piece v)
{
	if (!is(v, "0") && !is(v, "1"))
		return false;
	*on = *v.at == '1';
	return true;
}

static bool parse_values(struct rt_options *o, struct piece v)
{
	bool on;

	if (is(v, "all")) {
		o->values = RT_VALUES_ALL;
		return true;
	}
	if (!parse_switch(&on, v))
		return false;
	o->values = on ? RT_VALUES_FEW : RT_VALUES_NONE;
	return true;
}

static bool parse_time(struct rt_options *o, struct piece v)
{
	return parse_switch(&o->time, v);
}

static bool parse_output(struct rt_options *o, struct piece v)
{
	return parse_switch(&o->output, v);
}

static bool parse_stacks(struct rt_options *o, struct piece v)
{
	return parse_switch(&o->stacks, v);
}

static bool parse_command(struct rt_options *o, struct piece v)
{
	return parse_switch(&o->command, v);
}

static bool parse_number(uint64_t *number, struct piece v)
{
	uint64_t n = 0;

	for (size_t i = 0; i < v.size; i++) {
		if (v.at[i] < '0' || v.at[i] > '9' || n > UINT32_MAX)
			return false;
		n = n * 10 + (uint64_t)(v.at[i] - '0');
	}
	*number = n;
	return v.size > 0;
}

static bool parse_margin(struct rt_options *o, struct piece v)
{
	uint64_t n;

	if (!parse_number(&n, v) || !n)
		return false;
	o->margin = n;
	return true;
}

static bool parse_tries(struct rt_options *o, struct piece v)
{
	uint64_t n;

	if (!parse_number(&n, v) || n > INT32_MAX)
		return false;
	o->tries = (int)n;
	return true;
}

static const struct {
	const char *name;
	bool (*parse)(struct rt_options *o, struct piece value);
} keys[] = {
	{"dir", parse_dir},
	{"scheme", parse_scheme},
	{"max-log", parse_max_log},
	{"time", parse_time},
	{"values", parse_values},
	{"output", parse_output},
	{"margin", parse_margin},
	{"tries", parse_tries},
	{"stacks", parse_stacks},
	{"command", parse_command},
};

static void parse_one(struct rt_options *o, struct piece option)
{
	const char *equals = memchr(option.at, '=', option.size);
	char text[128];
	size_t n = option.size < sizeof text - 1 ? option.size : sizeof text - 1;

	if (is(option, "off")) {
		o->scheme = RT_SCHEME_OFF;
		return;
	}
	memcpy(text, option.at, n);
	text[n] = 0;
	if (equals) {
		struct piece key = {option.at, (size_t)(equals - option.at)};
		struct piece value = {equals + 1, option.size - key.size - 1};

		for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
			if (!is(key, keys[i].name))
				continue;
			if (!keys[i].parse(o, value))
				rt_say("bad value of option in RETHREAD_OPTIONS", text);
			return;
		}
	}
	rt_say("unknown option in RETHREAD_OPTIONS", text);
}

void rt_options_parse(struct rt_options *o, const char *text)
{
	bool given = text && *text;

	memset(o, 0, sizeof *o);
	o->scheme = RT_SCHEME_PATH_SYNC;
	o->max_log = UINT64_MAX;
	o->time = o->output = o->command = true;
	o->values = RT_VALUES_FEW;
	o->margin = RT_TIME_MARGIN;
	o->tries = -1;
	while (text && *text) {
		size_t n = strcspn(text, ",");

		if (n)
			parse_one(o, (struct piece){text, n});
		text += n + (text[n] == ',');
	}
	if (*o->dir)
		return;
	if (given && o->scheme != RT_SCHEME_OFF)
		rt_say("nothing is recorded", "RETHREAD_OPTIONS has no dir=DIR to record to");
	o->scheme = RT_SCHEME_OFF;
}
