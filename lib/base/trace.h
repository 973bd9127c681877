// Watching the compiler work: which stages tell what they made, and to whom.
//
// In:  a wish, "lexer,tables:starts=20".  Out: lines of text, given to the caller's function.
// A stage tells its counts, its size and its seconds of CPU. A finer word asks for its entries one by one, as many as
// the number behind it says. A library prints nothing: the lines go to a callback (<gcdc/compile.h>).
// Cost: none for stages that nobody asked for.
#ifndef GCDC_BASE_TRACE_H
#define GCDC_BASE_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TRACE_ENTRIES 100u          // of a word without a number
#define TRACE_MAX_ENTRIES 1000000u  // that a number may ask for
#define TRACE_MAX_LINE 4096u        // bytes; a longer line ends with "..."

enum trace_stage {
	TRACE_GRAMMAR,
	TRACE_LR,
	TRACE_TERMINALS,
	TRACE_LEXER,
	TRACE_TABLES,
	TRACE_COSTS,
	TRACE_CANONICAL,
	TRACE_WRITE,
	TRACE_PROVE,
	N_TRACE_STAGES
};
enum trace_word {
	TRACE_GRAMMAR_TERMINALS,
	TRACE_GRAMMAR_PRODUCTIONS,
	TRACE_LR_STATES,
	TRACE_TERMINALS_AUTOMATA,
	TRACE_LEXER_STATES,
	TRACE_TABLES_STARTS,
	TRACE_TABLES_NODES,
	TRACE_COSTS_ROWS,
	TRACE_WRITE_SECTIONS,
	N_TRACE_WORDS
};

typedef void trace_take(const char *stage, const char *line, void *user);
struct trace {
	bool stage[N_TRACE_STAGES];
	uint32_t most[N_TRACE_WORDS];  // entries to tell; 0: not asked for
	trace_take *take;
	void *user;
	double since;                 // seconds of CPU when the stage at hand began
	double took[N_TRACE_STAGES];  // measured elsewhere; 0: not
};

// Reads a wish; "all" is every stage. False: *problem (of TRACE_PROBLEM bytes) says what was found and what is known.
#define TRACE_PROBLEM 512u
bool trace_read(struct trace *t, const char *wish, char problem[TRACE_PROBLEM]);

// All of these take NULL for "nobody watches".
static inline bool trace_wants(const struct trace *t, enum trace_stage stage) { return t && t->stage[stage]; }
static inline uint32_t trace_most(const struct trace *t, enum trace_word word) { return t ? t->most[word] : 0; }
// A stage begins now: its seconds count from here.
void trace_begin(struct trace *t);
// Seconds of CPU since, of the whole process: all threads that work are in it.
double trace_seconds(const struct trace *t);
double trace_thread_clock(void);  // of the calling thread alone
// One line of a stage.
void trace_line(struct trace *t, enum trace_stage stage, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
// A line in pieces: write to the stream that begin returns, then end.
struct trace_text {
	FILE *out;
	char text[TRACE_MAX_LINE];
};
FILE *trace_text_begin(struct trace_text *x);
void trace_text_end(struct trace_text *x, struct trace *t, enum trace_stage stage);
// "... and N more (lexer:states=M tells them)" when there are more entries than were asked for.
void trace_rest(struct trace *t, enum trace_word word, uint64_t n);

#endif
