// Watching the compiler work: reads the wish, words the lines.
//
// In:  a wish.  Out: which stages and entries are told; lines for the caller's function. Cost: linear in the texts.
#include "trace.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "guess.h"

static const char *const stage_name[N_TRACE_STAGES] = {
	"grammar", "lr", "terminals", "lexer", "tables", "costs", "canonical", "write", "prove",
};
static const struct {
	const char *name;
	enum trace_stage stage;
} words[N_TRACE_WORDS] = {
	{"terminals", TRACE_GRAMMAR},  {"productions", TRACE_GRAMMAR}, {"states", TRACE_LR},
	{"automata", TRACE_TERMINALS}, {"states", TRACE_LEXER},        {"starts", TRACE_TABLES},
	{"nodes", TRACE_TABLES},       {"rows", TRACE_COSTS},          {"sections", TRACE_WRITE},
};

static void list_known(FILE *f)
{
	for (int s = 0; s < N_TRACE_STAGES; s++) {
		fprintf(f, "%s%s", s ? ", " : "", stage_name[s]);
		for (int w = 0; w < N_TRACE_WORDS; w++)
			if (words[w].stage == (enum trace_stage)s) fprintf(f, ", %s:%s", stage_name[s], words[w].name);
	}
}

static bool refuse(char problem[TRACE_PROBLEM], const char *what, const char *name, const char *guess)
{
	memset(problem, 0, TRACE_PROBLEM);
	FILE *f = fmemopen(problem, TRACE_PROBLEM - 1, "w");
	if (!f) return false;
	fprintf(f, "%s '%.40s'", what, name);
	if (guess) fprintf(f, " (did you mean '%s'?)", guess);
	fputs("; known are ", f);
	list_known(f);
	fputs(", all; a number of entries may follow: lexer:states=20", f);
	fclose(f);
	return false;
}

static bool read_word(struct trace *t, enum trace_stage stage, const char *word, const char *number,
                      char problem[TRACE_PROBLEM])
{
	char *end = NULL;
	unsigned long most = number ? strtoul(number, &end, 10) : TRACE_ENTRIES;
	if (number && (end == number || *end || !most || most > TRACE_MAX_ENTRIES))
		return refuse(problem, "a number from 1 to 1000000 is expected behind '=', not", number, NULL);
	for (int w = 0; w < N_TRACE_WORDS; w++) {
		if (words[w].stage != stage || strcmp(words[w].name, word) != 0) continue;
		t->most[w] = (uint32_t)most;
		return true;
	}
	return refuse(problem, "the stage has no entries", word, NULL);
}

static bool read_one(struct trace *t, char *name, char problem[TRACE_PROBLEM])
{
	if (!strcmp(name, "all")) {
		for (int s = 0; s < N_TRACE_STAGES; s++) t->stage[s] = true;
		return true;
	}
	char *word = strchr(name, ':'), *number = strchr(name, '=');
	if (number) *number++ = 0;
	if (word) *word++ = 0;
	for (int s = 0; s < N_TRACE_STAGES; s++) {
		if (strcmp(stage_name[s], name) != 0) continue;
		t->stage[s] = true;
		if (word) return read_word(t, (enum trace_stage)s, word, number, problem);
		return !number || refuse(problem, "a number belongs to a stage's entries, not to the stage", name, NULL);
	}
	return refuse(problem, "there is no stage", name, guess_name(name, stage_name, N_TRACE_STAGES));
}

bool trace_read(struct trace *t, const char *wish, char problem[TRACE_PROBLEM])
{
	char one[64];
	for (const char *at = wish; *at;) {
		size_t n = strcspn(at, ",");
		if (n >= sizeof one) n = sizeof one - 1;
		memcpy(one, at, n);
		one[n] = 0;
		if (!read_one(t, one, problem)) return false;
		at += n;
		at += *at == ',';
	}
	return true;
}

static double read_clock(clockid_t which)
{
	struct timespec x;
	clock_gettime(which, &x);
	return (double)x.tv_sec + 1e-9 * (double)x.tv_nsec;
}

static double trace_clock(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }
double trace_thread_clock(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

void trace_begin(struct trace *t)
{
	if (t) t->since = trace_clock();
}

double trace_seconds(const struct trace *t) { return t ? trace_clock() - t->since : 0; }

FILE *trace_text_begin(struct trace_text *x)
{
	memset(x->text, 0, sizeof x->text);
	x->out = fmemopen(x->text, sizeof x->text - 4, "w");
	return x->out;
}

void trace_text_end(struct trace_text *x, struct trace *t, enum trace_stage stage)
{
	if (!x->out) return;  // no memory: the line is lost, nothing else
	fclose(x->out);
	x->out = NULL;
	size_t n = strlen(x->text);
	if (n >= sizeof x->text - 5) memcpy(x->text + n, "...", 4);
	t->take(stage_name[stage], x->text, t->user);
}

void trace_line(struct trace *t, enum trace_stage stage, const char *fmt, ...)
{
	char line[TRACE_MAX_LINE];
	va_list args;
	va_start(args, fmt);
	vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	t->take(stage_name[stage], line, t->user);
}

void trace_rest(struct trace *t, enum trace_word word, uint64_t n)
{
	uint32_t most = trace_most(t, word);
	if (!most || n <= most) return;
	const char *stage = stage_name[words[word].stage];
	trace_line(t, words[word].stage, "  ... and %llu more (%s:%s=%llu tells all)", (unsigned long long)(n - most),
	           stage, words[word].name, (unsigned long long)n);
}
