// A call of the public interface: its limits, its messages.
//
// In:  limits, what to run. Out: a status, and the diag's messages as structures.
// A message's notes without a place of their own become its hint; those with one stay notes. A warning's name, which
// its text ends with in brackets, becomes its code. Cost: linear in the messages' texts.
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "../base/text_out.h"
#include "api.h"

struct gcdc_cancel {
	atomic_bool is_cancelled;
};

double api_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

gcdc_cancel *gcdc_cancel_new(void)
{
	gcdc_cancel *c = (malloc)(sizeof *c);
	if (c) atomic_init(&c->is_cancelled, false);
	return c;
}

void gcdc_cancel_now(gcdc_cancel *c)
{
	if (c) atomic_store(&c->is_cancelled, true);
}

void gcdc_cancel_free(gcdc_cancel *c) { free(c); }

// ---- Running

static bool tell(struct call *c, const char *stage)
{
	if (c->cancel && atomic_load(&c->cancel->is_cancelled)) return false;
	const gcdc_progress p = {.stage = stage, .seconds = api_now() - c->begin};
	return !c->progress || c->progress(&p, c->user);
}

static bool go_on(void *call)
{
	struct call *c = call;
	return tell(c, atomic_load(&c->stage));
}

void call_stage(struct call *c, const char *stage)
{
	atomic_store(&c->stage, stage);
	work_stage(stage);
	if (!tell(c, stage)) work_cancel();
}

void call_phase(struct call *c, const char *code, gcdc_status status)
{
	ASSERT(c->n_phases < CALL_PHASES);
	c->phase[c->n_phases].first = c->d.messages.n;
	c->phase[c->n_phases++].code = code;
	c->status = status;
}

void call_error(struct call *c, gcdc_status status, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	diag_error(&c->d, (struct loc){0}, "%s", text);
	c->status = status;
}

static gcdc_status status_of(enum work_end end, gcdc_status otherwise)
{
	switch (end) {
	case WORK_DONE:
	case WORK_FAILED: break;
	case WORK_NO_MEMORY: return GCDC_ERR_MEMORY;
	case WORK_CANCELLED: return GCDC_ERR_CANCELLED;
	case WORK_BUG: return GCDC_ERR_INTERNAL;
	case WORK_MAX_MEMORY:
	case WORK_MAX_SECONDS:
	case WORK_TOO_LARGE: return GCDC_ERR_LIMIT;
	}
	return otherwise;
}

struct running {
	struct call *c;
	void (*run)(void *context);
	void *context;
};

// A call that fails leaves nothing.
static void run_whole(void *running)
{
	const struct running *x = running;
	x->run(x->context);
	if (x->c->d.n_errors) work_fail();
}

gcdc_status call_run(struct call *c, const struct call_limits *l, void (*run)(void *context), void *context)
{
	*c = (struct call){
		.begin = api_now(), .cancel = l->cancel, .progress = l->progress, .user = l->user, .stage = "grammar"};
	const struct work_limits limits = {.max_bytes = l->max_memory ? l->max_memory : GCDC_DEFAULT_MEMORY,
	                                   .max_seconds = l->max_seconds > 0 ? l->max_seconds : GCDC_DEFAULT_SECONDS,
	                                   .go_on = l->cancel || l->progress ? go_on : NULL,
	                                   .user = c,
	                                   .outlives_bugs = true};
	struct work_result r;
	if (work_run(&limits, run_whole, &(struct running){c, run, context}, &r)) return GCDC_OK;
	diag_given_up(&c->d, &r, NULL);
	return status_of(c->d.given_up, c->status);
}

// ---- Diagnostics

struct gcdc_diagnostics {
	struct arena arena;
	size_t n;
	gcdc_diagnostic *at;
	const char *text;
};

static const char *code_of_end(enum work_end end)
{
	switch (end) {
	case WORK_DONE:
	case WORK_FAILED: break;
	case WORK_NO_MEMORY: return "memory";
	case WORK_CANCELLED: return "cancelled";
	case WORK_BUG: return "internal";
	case WORK_MAX_MEMORY: return "max-memory";
	case WORK_MAX_SECONDS: return "max-seconds";
	case WORK_TOO_LARGE: return "limit";
	}
	return "grammar";
}

static const char *printed(struct arena *a, const struct diag_message *from, const struct diag_message *to)
{
	struct text_out text;
	text_open(&text);
	for (; from < to; from++) diag_print_message(from, text.f);
	return text_close(&text, a);
}

struct converting {
	struct call *c;
	struct gcdc_diagnostics *out;
};

// "text [name]" -> its two parts; false: it has no name.
static bool split_name(struct arena *a, const char *text, const char **message, const char **name)
{
	size_t len = strlen(text);
	const char *open = strrchr(text, '[');
	if (!open || open == text || open[-1] != ' ' || text[len - 1] != ']') return false;
	for (const char *x = open + 1; x < text + len - 1; x++)
		if (!((*x >= 'a' && *x <= 'z') || (*x >= '0' && *x <= '9') || *x == '-')) return false;
	*message = arena_strndup(a, text, (size_t)(open - 1 - text));
	*name = arena_strndup(a, open + 1, (size_t)(text + len - 2 - open));
	return true;
}

static void convert_one(struct converting *x, const struct diag_message *m, const char *code, gcdc_diagnostic *to)
{
	struct arena *a = &x->out->arena;
	*to = (gcdc_diagnostic){.severity = (gcdc_severity)m->level,
	                        .code = code,
	                        .path = "",
	                        .hint = "",
	                        .offset = m->loc.offset,
	                        .len = m->loc.len};
	if (!split_name(a, m->text, &to->message, &to->code)) to->message = arena_strndup(a, m->text, strlen(m->text));
	if (m->loc.source) {
		to->path = arena_strndup(a, m->loc.source->path, strlen(m->loc.source->path));
		source_position(m->loc.source, m->loc.offset, &to->line, &to->column);
	}
}

static void convert(void *context)
{
	struct converting *x = context;
	const struct diag *d = &x->c->d;
	const struct diag_message *m = d->messages.at, *end = m + d->messages.n, *last_error = NULL;
	struct gcdc_diagnostics *out = mem_calloc(1, sizeof *out);
	x->out = out;
	out->at = arena_array(&out->arena, d->messages.n, sizeof *out->at);
	for (const struct diag_message *k = m; k < end; k++)
		if (k->level == DIAG_ERROR) last_error = k;
	for (uint32_t phase = 0; m < end;) {
		while (phase + 1 < x->c->n_phases && x->c->phase[phase + 1].first <= (uint32_t)(m - d->messages.at)) phase++;
		const char *code = x->c->n_phases ? x->c->phase[phase].code : "options";
		if (m == last_error && d->given_up != WORK_DONE) code = code_of_end(d->given_up);
		gcdc_diagnostic *to = &out->at[out->n++];
		const struct diag_message *first = m++;
		convert_one(x, first, code, to);
		for (; m < end && m->level == DIAG_NOTE && !m->loc.source; m++)
			to->hint = *to->hint ? arena_printf(&out->arena, "%s\n%s", to->hint, m->text)
			                     : arena_strndup(&out->arena, m->text, strlen(m->text));
		to->rendered = printed(&out->arena, first, m);
	}
	out->text = printed(&out->arena, d->messages.at, end);
	if (d->n_errors > DIAG_MAX_ERRORS)
		out->text =
			arena_printf(&out->arena, "%s(%u more errors not shown)\n", out->text, d->n_errors - DIAG_MAX_ERRORS);
}

gcdc_status call_end(struct call *c, gcdc_status status, gcdc_diagnostics **out)
{
	struct converting x = {.c = c};
	struct work_result r;
	if (out) {
		bool done = work_run(NULL, convert, &x, &r);
		*out = done ? x.out : NULL;
		if (!done && !status) status = GCDC_ERR_MEMORY;
	}
	diag_release(&c->d);
	return status;
}

size_t gcdc_diagnostics_count(const gcdc_diagnostics *d) { return d ? d->n : 0; }

bool gcdc_diagnostics_get(const gcdc_diagnostics *d, size_t i, gcdc_diagnostic *diagnostic)
{
	if (!d || !diagnostic || i >= d->n) return false;
	*diagnostic = d->at[i];
	return true;
}

const char *gcdc_diagnostics_text(const gcdc_diagnostics *d) { return d ? d->text : ""; }

void gcdc_diagnostics_free(gcdc_diagnostics *d)
{
	if (!d) return;
	arena_release(&d->arena);
	free(d);
}
