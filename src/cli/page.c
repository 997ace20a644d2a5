/*
 * The picture is SVG: a lane for each thread, time runs down. A row is a step: where it is in the source, a mark in its thread's lane,
 * what it does, and the source line. A thread that runs has a bar; arrows lead from a write to the read that saw it, from who created a
 * thread to its begin, from its end to who waited for it.
 */
#include "cli/page.h"

#include "cli/source.h"
#include "cli/steps.h"
#include "cli/telling.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In pixels; a character of the page's font is about CHARACTER wide. */
enum { ROW = 22, TOP = 34, PLACE = 190, LANE_MOST = 250, LANE_LEAST = 130, LANES = 1000, SOURCE = 620, CHARACTER = 7, DOT = 5, BESIDE = 11, BEND = 30 };

struct row {
	const json_t *step;
	size_t column;
	json_int_t left_out;
};

struct picture {
	FILE *out;
	const struct page *page;
	const struct steps *steps;
	vec(struct row) rows;
	unsigned lane; /* width of one */
};

/* ---------------------------------------------------------------- text ------------------------ */

static void escape(FILE *out, const char *s, size_t n)
{
	for (; *s && n; s++, n--)
		switch (*s) {
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '&': fputs("&amp;", out); break;
		case '"': fputs("&quot;", out); break;
		default:
			if ((unsigned char)*s >= ' ' || *s == '\n' || *s == '\t')
				fputc(*s, out);
		}
}

static void escape_all(FILE *out, const char *s)
{
	escape(out, s, SIZE_MAX);
}

/* As much of it as has room, whole characters only. */
static void escape_short(FILE *out, const char *s, size_t room)
{
	size_t n = strlen(s);
	if (n <= room) {
		escape_all(out, s);
		return;
	}
	for (n = room - 1; n && ((unsigned char)s[n] & 0xc0) == 0x80; n--)
		;
	escape(out, s, n);
	fputs("…", out);
}

static const char *file_of(const char *where)
{
	const char *slash = strrchr(where, '/');
	return slash ? slash + 1 : where;
}

/* ---------------------------------------------------------------- the picture ----------------- */

static unsigned x_of(const struct picture *p, size_t column)
{
	return PLACE + (unsigned)column * p->lane + 3 * DOT;
}

static unsigned y_of(size_t row)
{
	return TOP + (unsigned)row * ROW + ROW / 2;
}

static unsigned width_of(const struct picture *p)
{
	return PLACE + (unsigned)p->steps->threads.n * p->lane + SOURCE;
}

/* The row of the step with this number; SIZE_MAX: it is not shown. Rows are in order. */
static size_t row_of(const struct picture *p, json_int_t step)
{
	size_t low = 0, high = p->rows.n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (number(p->rows.at[middle].step, "step") < step)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->rows.n && number(p->rows.at[low].step, "step") == step ? low : SIZE_MAX;
}

/* The row in which the thread does that first, at or behind the row `from`. */
static size_t row_of_kind(const struct picture *p, const char *thread, const char *kind, size_t from)
{
	for (size_t i = from; i < p->rows.n; i++)
		if (!strcmp(text(p->rows.at[i].step, "thread"), thread) && !strcmp(text(p->rows.at[i].step, "kind"), kind))
			return i;
	return SIZE_MAX;
}

static void draw_heads(struct picture *p)
{
	for (size_t i = 0; i < p->steps->threads.n; i++) {
		unsigned x = x_of(p, i);
		fprintf(p->out, "<line class=lane x1=%u y1=%u x2=%u y2=%u />\n", x, TOP, x, TOP + (unsigned)p->rows.n * ROW);
		fprintf(p->out, "<text class=head x=%u y=%u>thread ", x - DOT, TOP - 12);
		escape_all(p->out, p->steps->threads.at[i]);
		fputs("</text>\n", p->out);
	}
}

/* A bar where a thread runs on, and a line where another one takes over. */
static void draw_runs(struct picture *p)
{
	for (size_t first = 0, i = 1; i <= p->rows.n; i++) {
		if (i < p->rows.n && p->rows.at[i].column == p->rows.at[first].column)
			continue;
		unsigned x = x_of(p, p->rows.at[first].column);
		fprintf(p->out, "<rect class=run x=%u y=%u width=8 height=%u rx=4 />\n", x - 4, y_of(first) - ROW / 2 + 2, (unsigned)(i - first) * ROW - 4);
		if (i < p->rows.n)
			fprintf(p->out, "<line class=switch x1=%u y1=%u x2=%u y2=%u />\n", PLACE - 6, y_of(i) - ROW / 2, width_of(p), y_of(i) - ROW / 2);
		first = i;
	}
}

static void draw_arrow(struct picture *p, const char *class, size_t from, size_t to)
{
	if (from >= to || to == SIZE_MAX || p->rows.at[from].column == p->rows.at[to].column)
		return;
	int x1 = (int)x_of(p, p->rows.at[from].column), y1 = (int)y_of(from), x2 = (int)x_of(p, p->rows.at[to].column), y2 = (int)y_of(to);
	if (x2 > x1) /* to its left side */
		fprintf(p->out, "<path class=\"arrow %s\" d=\"M%d %d C%d %d %d %d %d %d\" marker-end=\"url(#%s)\" />\n", class, x1 + DOT, y1, x1 + BEND,
			y1 + (y2 - y1) / 3, x2 - BEND, y2 - (y2 - y1) / 3, x2 - DOT - 3, y2, class);
	else /* from above: on the other side is the text */
		fprintf(p->out, "<path class=\"arrow %s\" d=\"M%d %d C%d %d %d %d %d %d\" marker-end=\"url(#%s)\" />\n", class, x1 - DOT, y1, x1 - BEND,
			y1 + (y2 - y1) / 3, x2, y2 - BEND - DOT, x2, y2 - DOT - 2, class);
}

static void draw_arrows(struct picture *p)
{
	for (size_t i = 0; i < p->rows.n; i++) {
		const json_t *step = p->rows.at[i].step;
		const char *kind = text(step, "kind"), *object = text(step, "object");
		if (json_object_get(step, "saw") && row_of(p, number(step, "saw")) != SIZE_MAX)
			draw_arrow(p, json_object_get(step, "matters") ? "matters" : "saw", row_of(p, number(step, "saw")), i);
		if (!strcmp(kind, "create"))
			draw_arrow(p, "order", i, row_of_kind(p, object, "start", i));
		size_t end = !strcmp(kind, "join") ? row_of_kind(p, object, "end", 0) : SIZE_MAX;
		if (end < i)
			draw_arrow(p, "order", end, i);
	}
}

static const char *class_of(const json_t *step)
{
	return json_is_true(json_object_get(step, "fails")) ? "fails" : json_object_get(step, "matters") ? "matters" :
	       json_object_get(step, "value") ? "access" : "plain";
}

/* The same line as in the row before is not shown again. */
static bool is_same_line(const struct picture *p, size_t row)
{
	return row && !p->rows.at[row].left_out && !strcmp(text(p->rows.at[row].step, "where"), text(p->rows.at[row - 1].step, "where"));
}

static void draw_row(struct picture *p, size_t i)
{
	const struct row *r = &p->rows.at[i];
	const char *where = text(r->step, "where");
	char what[256];
	unsigned x = x_of(p, r->column), y = y_of(i);
	char *line = source_line(where, p->page->program);
	steps_describe(p->steps, r->step, what, sizeof what);
	fprintf(p->out, "<g class=%s><title>thread ", class_of(r->step));
	escape_all(p->out, text(r->step, "thread"));
	fprintf(p->out, " %s", r->left_out ? "(steps before this one are left out) " : "");
	escape_all(p->out, what);
	fputc('\n', p->out);
	escape_all(p->out, where);
	if (line) {
		fputs("  ", p->out);
		escape_all(p->out, line);
	}
	fprintf(p->out, "</title><rect class=row x=0 y=%u width=%u height=%u />", y - ROW / 2, width_of(p), ROW);
	if (r->left_out)
		fprintf(p->out, "<text class=left x=%u y=%u>⋮</text>", x - 3, y - ROW / 2 + 4);
	if (!is_same_line(p, i)) {
		fprintf(p->out, "<text class=place x=%u y=%u>", PLACE - 14, y + 4);
		escape_short(p->out, file_of(where), PLACE / CHARACTER - 3);
		fprintf(p->out, "</text><text class=source x=%u y=%u>", PLACE + (unsigned)p->steps->threads.n * p->lane + 10, y + 4);
		escape_short(p->out, line ? line : "", SOURCE / CHARACTER - 2);
		fputs("</text>", p->out);
	}
	fprintf(p->out, "<circle cx=%u cy=%u r=%u /><text class=what x=%u y=%u>", x, y, DOT, x + BESIDE, y + 4);
	/* Nothing else is in this row, up to the source line. */
	escape_short(p->out, what, (PLACE + (unsigned)p->steps->threads.n * p->lane - x - BESIDE) / CHARACTER);
	fputs("</text></g>\n", p->out);
	free(line);
}

static void add_row(void *data, const struct steps *v, const struct shown_step *s)
{
	struct picture *p = data;
	(void)v;
	*vec_push(&p->rows) = (struct row){s->step, s->column, s->left_out};
}

static void draw(struct picture *p)
{
	size_t n = p->steps->threads.n;
	p->lane = n * LANE_MOST <= LANES ? LANE_MOST : n * LANE_LEAST >= LANES ? LANE_LEAST : (unsigned)(LANES / n);
	unsigned height = TOP + (unsigned)p->rows.n * ROW + 8;
	fprintf(p->out, "<svg width=%u height=%u viewBox=\"0 0 %u %u\" role=img aria-label=\"The interleaving, a lane for each thread\">\n<defs>\n", width_of(p),
		height, width_of(p), height);
	static const char *const arrows[] = {"matters", "saw", "order"};
	for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
		fprintf(p->out,
			"<marker id=%s class=\"tip %s\" viewBox=\"0 0 8 8\" refX=7 refY=4 markerWidth=7 markerHeight=7 orient=auto><path d=\"M0 0 L8 4 L0 8 z\" /></marker>\n",
			arrows[i], arrows[i]);
	fputs("</defs>\n", p->out);
	draw_heads(p);
	draw_runs(p);
	draw_arrows(p);
	for (size_t i = 0; i < p->rows.n; i++)
		draw_row(p, i);
	fputs("</svg>\n", p->out);
}

/* ---------------------------------------------------------------- the page -------------------- */

static const char style_sheet[] =
	":root{--back:#fff;--text:#1c1e21;--dim:#6b7280;--line:#e3e6ea;--run:#d5dbe3;--matters:#b45309;--fails:#c81e1e;--access:#1d4ed8;--hover:#f3f5f8}\n"
	"@media(prefers-color-scheme:dark){:root{--back:#14171b;--text:#dde1e6;--dim:#8b949e;--line:#2b3138;--run:#39424d;--matters:#f5a524;--fails:#ff6b6b;"
	"--access:#7fb0ff;--hover:#1d2228}}\n"
	"body{background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif;margin:2em}\n"
	"h1{font-size:1.25em;margin:0 0 1em;overflow-wrap:anywhere}h2{font-size:1.05em;margin:2em 0 .5em}\n"
	"pre,svg text{font:12px/1.5 ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
	"pre{white-space:pre-wrap;border-left:3px solid var(--matters);padding-left:1em;max-width:110ch}\n"
	".picture{overflow-x:auto}p.note{color:var(--dim)}\n"
	"text{fill:var(--text)}.head{font-weight:bold}.place{text-anchor:end;fill:var(--dim)}.source,.left{fill:var(--dim)}\n"
	".lane,.switch{stroke:var(--line)}.switch{stroke-dasharray:2 3}.run{fill:var(--run)}.row{fill:transparent}g:hover .row{fill:var(--hover)}\n"
	"circle{fill:var(--dim)}.access circle{fill:var(--access)}.matters circle,.matters .what{fill:var(--matters)}.fails circle,.fails .what{fill:var(--fails)}\n"
	".fails .what,.matters .what{font-weight:bold}.what{paint-order:stroke;stroke:var(--back);stroke-width:3px;stroke-linejoin:round}\n"
	".arrow{fill:none;stroke:var(--dim);stroke-width:1.2;opacity:.55;pointer-events:none}.arrow.matters{stroke:var(--matters);opacity:1}.arrow.order{stroke-dasharray:4 3}\n"
	".tip{fill:var(--dim)}.tip.matters{fill:var(--matters)}\n";

static void write_page(FILE *out, const struct page *page, const struct steps *steps)
{
	struct picture p = {.out = out, .page = page, .steps = steps};
	steps_show(steps, add_row, &p);
	fputs("<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta name=viewport content=\"width=device-width\">\n<title>", out);
	escape_all(out, page->title);
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style_sheet);
	escape_all(out, page->title);
	fputs("</h1>\n<pre>", out);
	escape_all(out, page->said);
	fputs("</pre>\n<h2>The interleaving</h2>\n<p>", out);
	escape_all(out, page->figures);
	fputs(" Time runs down. Solid arrows lead from a write to the read that saw it, dashed ones from who creates a thread, and to who waits for its end; "
	      "what the failure depends on is highlighted.</p>\n<div class=picture>\n", out);
	draw(&p);
	fputs("</div>\n", out);
	if (!steps->all)
		fputs("<p class=note>Steps that the failure does not depend on, or that come long before it, are left out; <code>rethread explain --all --html</code> "
		      "shows them.</p>\n", out);
	fputs("</body>\n</html>\n", out);
	vec_free(&p.rows);
}

bool page_write(const struct page *page, const char *file, struct error *err)
{
	FILE *out = fopen(file, "we");
	if (!out)
		return fail(err, "cannot write %s: %s", file, strerror(errno));
	struct steps steps;
	steps_init(&steps, page->root, page->all);
	write_page(out, page, &steps);
	steps_release(&steps);
	bool wrong = ferror(out);
	if (fclose(out) || wrong)
		return fail(err, "cannot write %s: %s", file, strerror(errno));
	return true;
}
