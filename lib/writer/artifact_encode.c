// Encodes an artifact image.
//
// In:   struct artifact_image, options.
// Out:  the bytes of formats/artifact.md. Each section is one zstd frame, or stands as it is where that is not longer;
//       section_encode.h says what goes into the frame. The parameters of zstd are fixed, and each frame is made by one
//       thread, so the bytes depend on the image and zstd's version alone. Of large artifacts several threads take the
//       sections, the largest ones first.
// Cost: zstd's; about 10 ms for a vocabulary of 128,000 tokens at the default level.
#include "artifact_image.h"

#include <stdatomic.h>

#include "../base/bitset.h"
#include "../base/parallel.h"
#include "../base/sort.h"
#include "../shared/control.h"
#include "section_encode.h"

#include <zstd.h>
#include <zstd_errors.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define ALIGN_UP(n) (((n) + (ARTIFACT_ALIGN - 1)) & ~(uint64_t)(ARTIFACT_ALIGN - 1))

#define MIN_LISTS 512u                   // bytes; below it standard lists gain nothing
#define ALONE_BYTES ((uint64_t)1 << 20)  // below it the sections are not worth a second thread

struct part {
	uint32_t id;
	const void *bytes;
	uint64_t size;
	enum artifact_codec codec;  // to try
	uint32_t width;             // words in a row
};

struct encoder_state {
	VEC(uint8_t) out;
	ZSTD_CCtx *zstd;
	byte_list scratch;
	const bits *list_begins;   // [words of SPARSE]
	struct section_rows rows;  // standard ones
	struct token_places places;
	const uint8_t *lists;        // standard ones
	uint32_t n_lists, standard;  // what both are named by
};

// Every byte that the lexer goes on with somewhere is a token of its own; but for the spellings of control tokens, into
// which no text leads.
static bool has_all_bytes(const struct artifact_image *m)
{
	const struct artifact_info *i = &m->info;
	bool single[256] = {false};
	uint32_t live[256] = {0};  // [byte class] all that it leads to
	if (i->flags & INFO_TOKEN_ENDS) return false;
	for (uint32_t t = 0, n = 0; t < i->n_tokens && n < 256; t++) {
		if (m->token_offset[t + 1] - m->token_offset[t] != 1) continue;
		bool *byte = &single[m->token_bytes[m->token_offset[t]]];
		n += !*byte, *byte = true;
	}
	for (uint32_t q = 0; q < i->n_lex_states; q++)
		for (uint32_t c = 0; c < i->n_classes; c++) live[c] |= m->lex_next[(size_t)q * i->n_classes + c];
	for (uint32_t b = 0; b < 256; b++)
		if (live[i->class_of[b]] & LEX_STATE_MASK && !single[b] && !(b == CONTROL_MARK && m->control_info.n_tokens))
			return false;
	return true;
}

static bool has_choices(const struct artifact_image *m)
{
	for (uint32_t k = 0; k < m->info.n_action_cells; k++)
		if (ACTION_IS_CHOICE(m->lr_action[k].value)) return true;
	return false;
}

static void reserve(struct encoder_state *e, uint64_t more)
{
	uint64_t want = e->out.n + more;
	ASSERT(want < UINT32_MAX);  // ARTIFACT_MAX_DECODED was checked
	vec_reserve(&e->out, want);
}

static size_t compress(struct encoder_state *e, const void *bytes, uint64_t size)
{
	size_t bound = ZSTD_compressBound(size);
	reserve(e, bound);
	size_t n = ZSTD_compress2(e->zstd, e->out.at + e->out.n, bound, bytes, size);
	if (ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation) work_out_of_memory(0);
	ASSERT(!ZSTD_isError(n));  // the room is enough
	return n;
}

static void put_head(struct encoder_state *e, uint32_t words, uint32_t width, uint32_t more)
{
	const uint32_t head[2] = {width, more}, size = words * (uint32_t)sizeof *head;
	reserve(e, size);
	memcpy(e->out.at + e->out.n, head, size);
	e->out.n += size;
}

// Writes a section as its codec has it behind what is there, without taking it in; how many bytes.
static uint64_t put_frame(struct encoder_state *e, const struct part *p)
{
	uint64_t size = p->size;
	const bool steps = p->codec == ARTIFACT_ZSTD_STEPS;
	const struct section_shape shape = {p->width, steps ? section_parts_column(p->bytes, size / 4, p->width) : 0,
	                                    e->list_begins, &e->places};
	const void *from = p->codec == ARTIFACT_ZSTD_NEAR
	                       ? section_encode_bitmaps(p->bytes, (uint32_t)(size / 4 / e->rows.words), &e->rows,
	                                                &e->places, &size, &e->scratch)
	                       : section_encode(p->codec, p->bytes, &size, &shape, &e->scratch);
	const uint32_t before = e->out.n;
	uint32_t more = steps ? shape.parts : e->rows.n ? e->standard : 0;
	if (p->codec == ARTIFACT_ZSTD_LISTS) more = size < MIN_LISTS || !e->n_lists ? 0 : e->standard;
	if (p->codec == ARTIFACT_ZSTD_LISTS && more) ZSTD_CCtx_refPrefix(e->zstd, e->lists, e->n_lists);
	put_head(e, section_head_words(p->codec), p->width, more);
	const uint64_t stored = compress(e, from, size) + e->out.n - before;
	e->out.n = before;
	return stored;
}

// Zeros up to where the section begins: what is used in place is aligned.
static void begin_section(struct encoder_state *e, struct artifact_section *row)
{
	const uint32_t at = row->codec == ARTIFACT_RAW ? (uint32_t)ALIGN_UP(e->out.n) : e->out.n;
	reserve(e, at - e->out.n);
	memset(e->out.at + e->out.n, 0, at - e->out.n);
	row->offset = e->out.n = at;
}

// Appends a section; fills its row of the table.
static void put_section(struct encoder_state *e, const struct part *p, struct artifact_section *row)
{
	*row = (struct artifact_section){
		.id = p->id, .codec = p->codec, .size = p->size, .check = XXH3_64bits(p->size ? p->bytes : "", p->size)};
	if (row->codec != ARTIFACT_RAW && (row->stored = put_frame(e, p)) >= p->size) row->codec = ARTIFACT_RAW;
	begin_section(e, row);
	if (row->codec == ARTIFACT_RAW) {
		row->stored = p->size;
		reserve(e, p->size);
		if (p->size) memcpy(e->out.at + e->out.n, p->bytes, p->size);
	}
	e->out.n += (uint32_t)row->stored;
}

// Where the image has the bytes of a section, by its group.
#define BYTES_CORE(NAME, member) m->member
#define BYTES_VOCAB(NAME, member) m->member
#define BYTES_CONTROL(NAME, member) m->control_##member
#define BYTES_STEP(NAME, member) m->step_##member
#define BYTES_COUNTER(NAME, member) m->counter_##member
#define BYTES_UNIQUE(NAME, member) m->unique_##member
#define BYTES_KEPT(NAME, member) m->kept_##member
#define BYTES_COST(NAME, member) m->cost_##member
#define BYTES_CANON(NAME, member) m->canonical[SECTION_##NAME - SECTION_CANON].bytes
#define BYTES_TOKENIZER(NAME, member) BYTES_CANON(NAME, member)
#define BYTES_LEXEMES(NAME, member) m->canon_##member
#define BYTES_REGEX(NAME, member) m->regex[SECTION_##NAME - SECTION_REGEX].bytes
#define BYTES_NOTE(NAME, member) m->member
#define BYTES_SCHEMA(NAME, member) m->member
#define BYTES_FAR(NAME, member) m->canon_##member

// Words in a row of a table.
static uint32_t width_of(const struct artifact_info *i, uint32_t id, size_t entry)
{
	if (id == SECTION_LEX_NEXT) return i->n_classes;
	if (id == SECTION_DENSE) return i->mask_words;
	return (uint32_t)(entry / sizeof(uint32_t));
}

// Where lists begin in SPARSE.
static bits *find_lists(const struct artifact_image *m)
{
	bits *begins = mem_calloc(BITS_WORDS(m->info.n_sparse + 1), sizeof *begins);
	for (uint32_t k = 0; k < m->info.n_sets; k++) bits_set(begins, m->sets[k].at);
	return begins;
}

// The sections that the artifact will have, as formats/sections.def lists them; how many.
static uint32_t list_parts(const struct artifact_image *m, const struct artifact_info *i, bool vocab,
                           struct part parts[ARTIFACT_MAX_SECTIONS])
{
	const struct artifact_cost_info *c = &m->cost_info;
	const struct artifact_step_info *s = &m->step_info;
	const struct artifact_kept_info *e = &m->kept_info;
	const struct artifact_control *x = &m->control_info;
	const struct artifact_counters *t = &m->counter_info;
	const struct artifact_uniques *u = &m->unique_info;
	const struct artifact_canon *k = m->n_canonical ? m->canonical[0].bytes : NULL;
	const struct artifact_regex *r = m->n_regex ? m->regex[0].bytes : NULL;
	const uint64_t n_bytes = m->token_offset[i->n_tokens], n_unsettled = m->n_canon_unsettled;
	const char *provenance = m->provenance;
	const bool has[N_SECTION_GROUPS] = {
		[SECTIONS_CORE] = true,
		[SECTIONS_VOCAB] = vocab,
		[SECTIONS_STEP] = s->n_nodes != 0,
		[SECTIONS_KEPT] = e->n_steps != 0,
		[SECTIONS_COST] = c->model != 0,
		[SECTIONS_CANON] = k,
		[SECTIONS_TOKENIZER] = k && vocab,
		[SECTIONS_LEXEMES] = k,
		[SECTIONS_REGEX] = r,
		[SECTIONS_NOTE] = provenance,
		[SECTIONS_CONTROL] = x->n_tokens != 0,
		[SECTIONS_SCHEMA] = m->unenforced,
		[SECTIONS_FAR] = m->canon_far,
		[SECTIONS_COUNTER] = t->n_counters != 0,
		[SECTIONS_UNIQUE] = u->n_terminals != 0,
	};
	uint32_t n = 0;
#define HEAD(id, NAME, member, type, codec, group, ...)                                                                \
	if (has[SECTIONS_##group]) parts[n++] = (struct part){id, HEAD_##group, sizeof(type), ARTIFACT_##codec, 1};
#define SECTION(id, NAME, member, type, count, codec, group, ...)                                                      \
	if (has[SECTIONS_##group])                                                                                         \
		parts[n++] = (struct part){id, BYTES_##group(NAME, member), (count) * sizeof(type), ARTIFACT_##codec,          \
		                           width_of(i, id, sizeof(type))};
#define HEAD_CORE i
#define HEAD_STEP s
#define HEAD_KEPT e
#define HEAD_COST c
#define HEAD_CONTROL x
#define HEAD_COUNTER t
#define HEAD_UNIQUE u
#define HEAD_CANON k
#define HEAD_REGEX r
#include "../../formats/sections.def"
	return n;
}

static void free_zstd(void *zstd) { ZSTD_freeCCtx(zstd); }

static void begin_zstd(struct encoder_state *e, struct work_cleanup *c, int level)
{
	e->zstd = ZSTD_createCCtx();  // behind all that may leave this function before its cleanup is known
	if (!e->zstd) work_out_of_memory(0);
	work_cleanup(c, free_zstd, e->zstd);
	ZSTD_CCtx_setParameter(e->zstd, ZSTD_c_contentSizeFlag, 1);
	ZSTD_CCtx_setParameter(e->zstd, ZSTD_c_checksumFlag, 0);
	ZSTD_CCtx_setParameter(e->zstd, ZSTD_c_compressionLevel, level);
}

static void end_zstd(struct encoder_state *e, struct work_cleanup *c)
{
	work_cleanup_end(c);
	ZSTD_freeCCtx(e->zstd);
	vec_release(&e->scratch);
}

// Sections for several threads; each writes those that it takes behind one another.
struct sections {
	const struct encoder_state *like;
	const struct part *part;
	struct artifact_section *row;
	uint32_t n;
	int level;
	uint64_t *order;  // sizes, then parts
	_Atomic uint32_t next;
	struct encoder_state of[PARALLEL_MAX_THREADS];
	uint32_t *by;  // [part] thread
};

static void put_share(void *context, uint32_t thread)
{
	struct sections *s = context;
	struct encoder_state *e = &s->of[thread];
	struct work_cleanup c;
	*e = *s->like;  // all that is known
	e->out.at = NULL, e->out.n = e->out.cap = 0;
	begin_zstd(e, &c, s->level);
	reserve(e, 1);  // sections may be empty, the buffer is there
	for (uint32_t k; (k = atomic_fetch_add(&s->next, 1)) < s->n;) {
		const uint32_t i = (uint32_t)s->order[s->n - 1 - k];
		s->by[i] = thread;
		put_section(e, &s->part[i], &s->row[i]);
	}
	end_zstd(e, &c);
}

static void append_section(struct encoder_state *e, const struct encoder_state *from, struct artifact_section *row)
{
	const uint8_t *bytes = from->out.at + row->offset;
	begin_section(e, row);
	reserve(e, row->stored);
	memcpy(e->out.at + e->out.n, bytes, row->stored);
	e->out.n += (uint32_t)row->stored;
}

static void put_sections(struct encoder_state *e, const struct part *part, struct artifact_section *row, uint32_t n,
                         uint32_t threads, int level)
{
	if (threads > PARALLEL_MAX_THREADS) threads = PARALLEL_MAX_THREADS;
	if (threads < 2) {
		struct work_cleanup c;
		begin_zstd(e, &c, level);
		for (uint32_t i = 0; i < n; i++) put_section(e, &part[i], &row[i]);
		end_zstd(e, &c);
		return;
	}
	struct sections *s = mem_calloc(1, sizeof *s);
	s->like = e, s->part = part, s->row = row, s->n = n, s->level = level;
	s->order = mem_calloc(n, sizeof *s->order), s->by = mem_calloc(n, sizeof *s->by);
	for (uint32_t i = 0; i < n; i++) s->order[i] = part[i].size << 32 | i;
	sort_u64(s->order, n);
	parallel_run(threads, put_share, s);
	for (uint32_t i = 0; i < n; i++) append_section(e, &s->of[s->by[i]], &row[i]);
	for (uint32_t i = 0; i < threads; i++) vec_release(&s->of[i].out);
	free(s->order), free(s->by);
	free(s);
}

static bool encode(const struct artifact_image *m, const struct artifact_write_options *o, struct diag *d,
                   struct encoder_state *e)
{
	struct part parts[ARTIFACT_MAX_SECTIONS];
	struct artifact_section table[ARTIFACT_MAX_SECTIONS];
	struct artifact_info info = m->info;
	info.flags = m->info.flags | (has_all_bytes(m) ? INFO_ALL_BYTES : 0u) | (has_choices(m) ? INFO_CHOICES : 0u);
	uint32_t n = list_parts(m, &info, !o->no_vocab, parts);
	uint64_t total = 0;
	for (uint32_t i = 0; i < n; i++) {
		total += parts[i].size;
		if (o->raw) parts[i].codec = ARTIFACT_RAW;
		if (parts[i].size > ARTIFACT_MAX_DECODED || total > ARTIFACT_MAX_DECODED) {
			diag_error(d, (struct loc){0}, "the artifact's tables need more than %llu bytes (ARTIFACT_MAX_DECODED)",
			           (unsigned long long)ARTIFACT_MAX_DECODED);
			return false;
		}
	}
	const bool is_costly = !o->no_vocab && total < ARTIFACT_LARGE_BYTES;
	int level = o->level ? o->level : is_costly ? ARTIFACT_DEFAULT_LEVEL : ARTIFACT_SMALL_LEVEL;
	struct artifact_header h = {
		.version = ARTIFACT_VERSION,
		.flags = o->no_vocab ? 0 : ARTIFACT_HAS_VOCAB,
		.n_sections = n,
		.grammar_hash = {m->grammar_hash[0], m->grammar_hash[1]},
		.vocab_hash = {m->vocab_hash[0], m->vocab_hash[1]},
		.options_hash = m->options_hash,
	};
	memcpy(h.magic, ARTIFACT_MAGIC, sizeof h.magic);
	size_t head = sizeof h + n * sizeof *table;
	reserve(e, head + (o->raw ? total + (uint64_t)n * ARTIFACT_ALIGN : 0));
	e->out.n = (uint32_t)head;
	put_sections(e, parts, table, n, o->raw || total < ALONE_BYTES ? 1 : o->threads, level);
	h.file_size = e->out.n;
	memcpy(e->out.at, &h, sizeof h);
	memcpy(e->out.at + sizeof h, table, n * sizeof *table);
	h.table_check = XXH3_64bits(e->out.at, head);
	memcpy(e->out.at, &h, sizeof h);
	return true;
}

struct encoding {
	const struct artifact_image *m;
	const struct artifact_write_options *o;
	struct diag *d;
	uint8_t *bytes;
	size_t len;
	bool ok;
};

static void run_encode(void *context)
{
	struct encoding *x = context;
	work_stage("write");
	const char *broken = x->o->checked ? NULL : artifact_check(x->m);
	if (broken) {
		diag_error(x->d, (struct loc){0}, "internal error: the tables break a rule of the artifact format: %s", broken);
		return;
	}
	struct encoder_state e = {.list_begins = find_lists(x->m),
	                          .rows = {.at = x->o->rows, .words = x->m->info.mask_words}};
	if (x->o->no_vocab) e.rows.n = x->o->n_rows;
	if (x->o->no_vocab) e.places = (struct token_places){x->o->place_of, x->o->n_ranks};
	if (x->o->no_vocab) e.lists = x->o->lists, e.n_lists = x->o->n_lists;
	e.standard = section_standard(x->o->standard_check);
	x->ok = encode(x->m, x->o, x->d, &e);
	free((void *)e.list_begins);
	if (x->ok)
		x->bytes = e.out.at, x->len = e.out.n;
	else
		vec_release(&e.out);
}

uint8_t *artifact_lists(const struct artifact_image *m, const uint32_t *place_of, uint64_t *n)
{
	const struct token_places places = {.place_of = place_of};
	byte_list out = {0};
	bits *begins = find_lists(m);
	*n = m->info.n_sparse;
	*n *= sizeof *m->sparse;
	section_encode(ARTIFACT_ZSTD_LISTS, m->sparse, n, &(struct section_shape){.begins = begins, .places = &places},
	               &out);
	free(begins);
	return out.at;
}

bool artifact_encode(const struct artifact_image *m, const struct artifact_write_options *o, struct diag *d,
                     uint8_t **bytes, size_t *len)
{
	static const struct artifact_write_options defaults = {0};
	struct encoding x = {.m = m, .o = o ? o : &defaults, .d = d};
	struct work_result r;
	*bytes = NULL;
	*len = 0;
	if (!work_run(NULL, run_encode, &x, &r)) {
		diag_given_up(d, &r, NULL);
		return false;
	}
	*bytes = x.bytes, *len = x.len;
	return x.ok;
}

const char *artifact_zstd_version(void) { return ZSTD_versionString(); }
