// Which steps a build has to do, and doing them in some processes.
//
// In:  a plan with digests, the record of what there is. Out: files in their places; on stdout a line a step, on stderr
// what is wrong, and, on a terminal, how far the build is.
// Two rounds: vocabularies, then artifacts; the processes of a round are forked once and keep what they have open
// (worker_pool.h, build_artifact.h). An artifact is up to date when the record says that its file is made of what there
// is now, and has passed the checks there are now. Cost with nothing to do: a look at each file's name.
#include "build_run.h"

#include <errno.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/parallel.h"
#include "build_artifact.h"
#include "build_catalog.h"
#include "build_folder.h"
#include "build_merge.h"
#include "cli.h"
#include "worker_pool.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define ME "build"
#define TOLD_MOST 100u  // artifacts that are told one by one

struct running {
	struct build *b;
	const struct build_run *run;
	struct build_bench bench;
	VEC(uint32_t) tasks;  // of this round
	bool is_vocabs;       // the round
	bool *selected;       // artifacts that this run is about
	uint32_t n_selected, n_with_checks;
	uint32_t n_steps, n_done, n_failed;  // of both rounds
	uint32_t n_built, n_taken, n_checked;
	bool *built;
	bool has_line;  // a line of progress is on the terminal
	bool is_terminal;
	double begin;
};

// ---- What is to be done

bool build_shard_parse(const char *text, struct build_shard *shard)
{
	int end = 0;
	return sscanf(text, "%5u/%5u%n", &shard->i, &shard->n, &end) == 2 && !text[end] && shard->i >= 1 &&
	       shard->i <= shard->n;
}

// By its name alone: another grammar in the manifest moves no artifact to another part.
static bool in_shard(const struct build_shard *s, const char *name)
{
	return !s->n || XXH3_64bits(name, strlen(name)) % s->n == s->i - 1;
}

static int select_artifacts(struct running *r)
{
	const struct plan *p = &r->b->plan;
	bool any_name = false;
	r->selected = arena_array(&r->b->arena, p->artifacts.n, sizeof *r->selected);
	r->built = arena_array(&r->b->arena, p->artifacts.n, sizeof *r->built);
	for (uint32_t i = 0; i < p->artifacts.n; i++) {
		const struct plan_artifact *a = &p->artifacts.at[i];
		if (r->run->only && fnmatch(r->run->only, a->name, 0)) continue;
		any_name = true;
		if (!in_shard(&r->run->shard, a->name)) continue;
		r->selected[i] = true, r->n_selected++;
		r->n_with_checks += build_has_checks(a);
	}
	if (any_name) return CODE_OK;
	return cli_error(CODE_USAGE, ME, "no artifact's name matches --only %s; --list shows them", r->run->only);
}

static bool is_there(const char *path)
{
	struct stat s;
	return !stat(path, &s) && S_ISREG(s.st_mode);
}

static enum build_action action_of(struct running *r, uint32_t i)
{
	struct build *b = r->b;
	const struct plan_artifact *a = &b->plan.artifacts.at[i];
	const struct record_line *line = record_find(&b->record, build_from_output(b, a->output));
	if (line && is_there(a->output) && build_line_holds(b, a, line))
		return strcmp(line->check, b->steps[i].check) ? ACTION_CHECK : ACTION_NONE;
	if (!build_has_checks(a)) return ACTION_COMPILE;
	const char *staged = build_staged(b, a);
	line = record_find(&b->record, build_from_output(b, staged));
	return line && is_there(staged) && build_line_holds(b, a, line) ? ACTION_CHECK_STAGED : ACTION_COMPILE;
}

static uint32_t steps_of(struct running *r, uint32_t i)
{
	const enum build_action action = r->b->steps[i].action;
	if (action == ACTION_NONE) return 0;
	return action == ACTION_COMPILE && build_has_checks(&r->b->plan.artifacts.at[i]) ? 2 : 1;
}

// Removes what the record knows and the plan does not; what stays is written anew where the record is old.
static int prune(struct running *r)
{
	struct build *b = r->b;
	const struct plan *p = &b->plan;
	struct intern wanted = {0};
	struct diag d = {0};
	char program[DIGEST_HEX];
	bool *keep = mem_calloc(b->record.lines.n, sizeof *keep), all = true, ok = true;
	for (uint32_t i = 0; i < p->artifacts.n; i++) {
		const char *files[2] = {p->artifacts.at[i].output, build_staged(b, &p->artifacts.at[i])};
		for (int k = 0; k < 2; k++) intern_add(&wanted, files[k], strlen(files[k]), NULL);
	}
	for (uint32_t i = 0; i < p->tokenizers.n; i++) {
		const char *files[2] = {b->vocabs[i].output, build_vocab_beside(b, i)};
		for (int k = 0; k < 2; k++)
			if (files[k]) intern_add(&wanted, files[k], strlen(files[k]), NULL);
	}
	for (uint32_t i = 0; i < b->record.lines.n; i++) {
		const char *path = arena_printf(&b->arena, "%s/%s", p->output, b->record.lines.at[i].path);
		keep[i] = intern_find(&wanted, path, strlen(path)) != INTERN_NONE;
		all &= keep[i];
		if (!keep[i]) unlink(path);
	}
	digest_program(program);
	if (!all || b->record.is_torn || strcmp(b->record.program, program) != 0 ||
	    b->record.n_read > 2 * b->record.lines.n + 64)
		ok = record_write(p->output, &b->record, keep, &d);
	diag_print(&d, stderr);
	diag_release(&d);
	free(keep);
	intern_release(&wanted);
	return ok ? CODE_OK : CODE_IO;
}

// ---- Saying how far it is

static void wipe(struct running *r)
{
	if (r->has_line) fputs("\r\033[K", stderr);
	r->has_line = false;
}

static void show_progress(struct running *r)
{
	if (!r->is_terminal || r->run->quiet) return;
	const double took = cli_seconds() - r->begin, left = took / r->n_done * (r->n_steps - r->n_done);
	fprintf(stderr, "\r\033[K[%u/%u] %.0f s", r->n_done, r->n_steps, took);
	if (r->n_done < r->n_steps) fprintf(stderr, ", about %.0f s left", left);
	if (r->n_failed) fprintf(stderr, ", %u failed", r->n_failed);
	fflush(stderr);
	r->has_line = true;
}

// A step's line; on a terminal those of steps that went well are only counted.
static void tell_step(struct running *r, const char *what, const char *name, bool ok)
{
	r->n_done++;
	r->n_failed += !ok;
	if (r->run->quiet || (r->is_terminal && ok && !r->run->verbose)) return;
	wipe(r);
	printf("[%u/%u] %s %s\n", r->n_done, r->n_steps, what, name);
	fflush(stdout);
}

static void put_word(const char *word)
{
	putchar(' ');
	if (*word &&
	    strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+=:,@%") == strlen(word)) {
		fputs(word, stdout);
		return;
	}
	putchar('\'');
	for (; *word; word++) *word == '\'' ? fputs("'\\''", stdout) : putchar(*word);
	putchar('\'');
}

static void show_command(struct running *r, const option_words *words)
{
	wipe(r);
	fputs("gcdc", stdout);
	for (uint32_t i = 0; i < words->n; i++) put_word(words->at[i]);
	putchar('\n');
	fflush(stdout);
}

static void show_commands(struct running *r, uint32_t task, const struct plan_artifact *a)
{
	option_words words = {0};
	if (!r->run->verbose) return;
	if (r->is_vocabs)
		build_vocab_words(r->b, task, &words);
	else if (r->b->steps[task].action == ACTION_COMPILE)
		build_compile_words(r->b, a, a->output, &words);
	if (words.n) show_command(r, &words);
	vec_release(&words);
	if (!a || !build_has_checks(a)) return;
	vec_push(&words, "build"), vec_push(&words, r->b->manifest), vec_push(&words, "--check"), vec_push(&words, a->name);
	show_command(r, &words);
	vec_release(&words);
}

static bool vocab_done(struct running *r, uint32_t task, int answer)
{
	tell_step(r, "vocabulary", r->b->plan.tokenizers.at[task].name, !answer);
	return !answer;
}

static bool artifact_done(struct running *r, uint32_t task, int answer)
{
	const struct plan_artifact *a = &r->b->plan.artifacts.at[task];
	const enum build_action action = r->b->steps[task].action;
	const bool ok = !answer || answer == (int)STEP_COMPILED, is_compiled = answer >= 0 && answer & (int)STEP_COMPILED,
			   is_checked = build_has_checks(a) && action != ACTION_TAKE && (action != ACTION_COMPILE || is_compiled);
	if (action == ACTION_TAKE) tell_step(r, "take", a->name, ok), r->n_taken += ok;
	if (action == ACTION_COMPILE) tell_step(r, "compile", a->name, is_compiled && (is_checked || ok));
	if (is_checked) tell_step(r, "check", a->name, ok), r->n_checked += ok;
	r->built[task] = ok && is_compiled;
	r->n_built += r->built[task];
	return ok;
}

static bool on_done(void *context, uint32_t task, int answer, const char *said, const char *how)
{
	struct running *r = context;
	task = r->tasks.at[task];
	const struct plan_artifact *a = r->is_vocabs ? NULL : &r->b->plan.artifacts.at[task];
	const bool ok = r->is_vocabs ? vocab_done(r, task, answer) : artifact_done(r, task, answer);
	show_commands(r, task, a);
	if (*said || answer == WORKER_ENDED) wipe(r);
	fputs(said, stderr);
	if (answer == WORKER_ENDED)
		cli_error(CODE_INTERNAL, ME, "%s: the process that was at work on it ended with %s",
		          a ? a->name : r->b->plan.tokenizers.at[task].name, how);
	show_progress(r);
	return ok || r->run->keep_going;
}

// ---- Rounds

static int work(void *context, uint32_t task)
{
	struct running *r = context;
	task = r->tasks.at[task];
	return r->is_vocabs ? build_make_vocab(&r->bench, task) : build_make_artifact(&r->bench, task);
}

static int run_round(struct running *r)
{
	const uint32_t processors = parallel_processors();
	uint32_t jobs = r->run->jobs ? r->run->jobs : processors;
	if (!r->tasks.n) return CODE_OK;
	if (jobs > r->tasks.n) jobs = r->tasks.n;
	r->bench.threads = r->run->jobs == 1 || jobs >= processors ? 1 : processors / jobs;
	struct worker_pool pool = {.jobs = jobs, .n_tasks = r->tasks.n, .work = work, .done = on_done, .context = r};
	const bool ok = worker_pool_run(&pool);
	wipe(r);
	return ok ? CODE_OK : cli_error(CODE_IO, ME, "cannot start a process: %s", strerror(errno));
}

// Artifacts without tokens need the vocabulary where they are opened: it lies beside them.
static int put_vocab_beside(struct build *b, uint32_t tokenizer)
{
	const char *beside = build_vocab_beside(b, tokenizer), *from = b->vocabs[tokenizer].output;
	struct diag d = {0};
	if (!beside || !is_there(from)) return CODE_OK;
	struct record_line now = {
		.of = b->vocabs[tokenizer].digest, .check = RECORD_NO_CHECKS, .path = build_from_output(b, beside)};
	const struct record_line *line = record_find(&b->record, now.path);
	if (line && is_there(beside) && !strcmp(line->of, now.of)) return CODE_OK;
	if (!(now.sum = build_sum(b, from))) return cli_error(CODE_IO, ME, "%s: %s", from, strerror(errno));
	const bool ok = file_publish(from, beside, UINT32_MAX, &d) && record_append(b->plan.output, &now, &d);
	diag_print(&d, stderr);
	diag_release(&d);
	return ok ? CODE_OK : CODE_IO;
}

static int run_vocabs(struct running *r)
{
	const struct plan *p = &r->b->plan;
	bool *wanted = mem_calloc(p->tokenizers.n, sizeof *wanted);
	for (uint32_t i = 0; i < p->artifacts.n; i++)
		if (r->selected[i] &&
		    (r->b->steps[i].action != ACTION_NONE || build_vocab_beside(r->b, p->artifacts.at[i].tokenizer)))
			wanted[p->artifacts.at[i].tokenizer] = true;
	for (uint32_t i = 0; i < p->tokenizers.n; i++)
		if (wanted[i] && !is_there(r->b->vocabs[i].output)) vec_push(&r->tasks, i);
	r->n_steps += r->tasks.n;
	r->is_vocabs = true;
	int code = run_round(r);
	for (uint32_t i = 0; i < p->tokenizers.n && !code; i++)
		if (wanted[i]) code = put_vocab_beside(r->b, i);
	free(wanted);
	return code;
}

// The folders that artifacts go into, where their names have some.
static int make_folders(struct running *r)
{
	struct intern made = {0};
	int code = CODE_OK;
	for (uint32_t i = 0; i < r->tasks.n && !code; i++) {
		const char *file = r->b->plan.artifacts.at[r->tasks.at[i]].output;
		const size_t len = (size_t)(strrchr(file, '/') - file);
		bool is_new;
		intern_add(&made, file, len, &is_new);
		if (is_new) code = build_folder_make(arena_strndup(&r->b->arena, file, len));
	}
	intern_release(&made);
	return code;
}

static int run_artifacts(struct running *r)
{
	const struct plan *p = &r->b->plan;
	vec_clear(&r->tasks);
	r->is_vocabs = false;
	for (uint32_t i = 0; i < p->artifacts.n; i++) {
		// One whose vocabulary could not be made would only say so once more.
		if (r->selected[i] && r->b->steps[i].action && is_there(r->b->vocabs[p->artifacts.at[i].tokenizer].output))
			vec_push(&r->tasks, i);
	}
	r->bench.vocabs = mem_calloc(p->tokenizers.n, sizeof(gcdc_vocab *));
	int code = make_folders(r);
	if (!code) code = run_round(r);
	free(r->bench.vocabs);
	return code;
}

// ---- The end

static void tell_artifact(const struct plan_artifact *a)
{
	uint32_t accept = 0, refuse = 0, limits = 0;
	for (uint32_t i = 0; i < a->checks.texts.n; i++) *(a->checks.texts.at[i].accept ? &accept : &refuse) += 1;
	for (uint32_t i = 0; i < N_CHECK_LIMITS; i++) limits += a->checks.limits[i].given;
	printf("built %s", a->output);
	if (accept) printf(", %u text%s accepted", accept, cli_s(accept));
	if (refuse) printf(", %u text%s refused", refuse, cli_s(refuse));
	if (limits) printf(", %u limit%s kept", limits, cli_s(limits));
	puts(accept + refuse + limits ? "" : ", without checks");
}

static void tell_end(struct running *r)
{
	const struct plan *p = &r->b->plan;
	for (uint32_t i = 0; i < p->artifacts.n && r->n_built <= TOLD_MOST; i++)
		if (r->built[i]) tell_artifact(&p->artifacts.at[i]);
	const uint32_t n = r->n_selected, built = r->n_built + r->n_taken;
	printf("%s: %u artifact%s: ", p->output, n, cli_s(n));
	if (r->run->merge)
		printf("%u taken, %u up to date\n", r->n_taken, n - built);
	else
		printf("%u built, %u up to date; %u checked now, %u before, %u without checks\n", built, n - built,
		       r->n_checked, r->n_with_checks - r->n_checked, n - r->n_with_checks);
}

static int run_all(struct running *r)
{
	int code = select_artifacts(r);
	if (code) return code;
	record_read(r->b->plan.output, &r->b->record);
	if ((code = prune(r))) return code;
	for (uint32_t i = 0; i < r->b->plan.artifacts.n; i++)
		if (r->selected[i]) r->b->steps[i].action = action_of(r, i);
	if (r->run->merge && (code = build_merge(r->b, r->run->merge, r->selected))) return code;
	for (uint32_t i = 0; i < r->b->plan.artifacts.n; i++) r->n_steps += steps_of(r, i);
	code = run_vocabs(r);
	if (!code && (!r->n_failed || r->run->keep_going)) code = run_artifacts(r);
	if (r->n_failed)
		return cli_error(CODE_DATA, ME, "%u step%s failed; %u artifact%s built", r->n_failed, cli_s(r->n_failed),
		                 r->n_built, cli_s(r->n_built));
	if (!code) code = build_catalog(r->b);
	if (!code && !r->run->quiet) tell_end(r);
	return code;
}

int build_run(struct build *b, const struct build_run *run)
{
	struct running r = {
		.b = b, .run = run, .bench = {.build = b}, .begin = cli_seconds(), .is_terminal = isatty(STDERR_FILENO)};
	int code = run_all(&r);
	vec_release(&r.tasks);
	return code;
}
