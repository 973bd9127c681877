// What the stages of the schema compiler hand to each other.
//
// text -> json -> (references.c, documents.c) documents, resources -> (keywords.c) a value per schema: a language for
// each of JSON's types, those of arrays and objects as formulas (formula.c) -> (objects.c, arrays.c) one automaton for
// each set of values that has to be told apart -> (rules.c) productions -> (schema.c) struct grammar.
#ifndef GCDC_SCHEMA_INTERNAL_H
#define GCDC_SCHEMA_INTERNAL_H

#include <sys/types.h>

#include "../base/intern.h"
#include "../base/map64.h"
#include "../regex/regex.h"
#include "decimal.h"
#include "json.h"
#include "schema.h"

enum draft { DRAFT_4, DRAFT_6, DRAFT_7, DRAFT_2019, DRAFT_2020 };

// ---- references.c: documents, what their parts are called ----

struct resource {
	const char *uri;     // absolute, or a path; without fragment
	const char *folder;  // of its document, for references by path
	struct json *root;
	enum draft draft;
	bool is_lenient;    // no $schema that is known: keywords of older drafts count where they say nothing in this one
	bool is_openapi_3;  // the document is OpenAPI 3.0: `nullable` counts, and nothing beside a $ref
	bool is_draft_3;    // extends, disallow, Boolean required, schemas among types: beside draft 4
	bool recursive_anchor;              // $recursiveAnchor: true
	const struct json *own_metaschema;  // its $schema, where that is none of the known ones
	bool no_validation;                 // that leaves the validation vocabulary out
};
struct reference {
	const struct json *text;
	uint32_t resource;
};
struct known_document {
	const char *uri, *path;
};
struct opened_file {
	dev_t device;
	ino_t inode;
	uint32_t resource;  // its document
};
struct anchor {
	uint32_t resource;
	const char *name;
	bool is_dynamic;
	struct json *target;
};

// A string of a JSON type's texts: exactly a's texts whose length is within the bounds.
// SYNTAX_REGEX: of these, the ones that are regular expressions (`of` is ANY); SYNTAX_BETWEEN: it is known of texts in
// `of` that they are meant, and of those outside of `upper` that they are not; of any length.
enum syntax { SYNTAX_NONE, SYNTAX_REGEX, SYNTAX_BETWEEN };
struct strings {
	language of;
	uint32_t least, most;  // TERM_UNBOUNDED
	uint32_t syntax;
	language upper;
};

// Numbers: texts. ANY is all numbers, however they are written; others hold no text but decimals and, unless is_plain,
// normalised ones with an exponent (number.c).
struct numbers {
	language of;
	bool is_plain;
};

typedef uint32_t formula;
#define FORMULA_FALSE 0u
#define FORMULA_TRUE 1u

enum { SIMPLE_NULL = 1, SIMPLE_TRUE = 2, SIMPLE_FALSE = 4, SIMPLE_ALL = 7 };

// What a schema takes, type by type. Compared as bytes: no holes are left unset.
struct value {
	uint32_t simple;
	struct strings strings;
	language numbers;
	uint32_t numbers_plain;
	formula array, object;
	uint32_t order;  // of keys: a list in schema.orders; 0: none. No part of what is taken
};

// A schema, as something that a formula names.
typedef uint32_t atom;
#define ATOM_TRUE 0u
#define ATOM_FALSE 1u
enum atom_kind {
	ATOM_KIND_TRUE,
	ATOM_KIND_FALSE,
	ATOM_KIND_NODE,
	ATOM_KIND_CONST,
	ATOM_KIND_ANY_OF,
	ATOM_KIND_SPELLED
};
struct atom_info {
	enum atom_kind kind;
	struct json *node;
	uint32_t scope;
	const uint32_t *list;  // ANY_OF
	uint32_t n;
	bool is_open;   // being evaluated
	bool is_known;  // value is
	struct value value;
};

// Keys: some names and patterns, or all others.
struct keyset {
	bool negated;
	uint32_t n_keys, n_patterns;
	const uint32_t *keys;      // numbers in schema.keys, ascending
	const language *patterns;  // ascending
};

// What formulas are about.
enum prim_kind {
	PRIM_ALL,       // values of keys in set a are in atom b
	PRIM_HAS,       // key a is there
	PRIM_COUNT,     // at least a entries
	PRIM_ITEMS,     // items a .. b - 1 (UINT32_MAX: to the end) are in atom c
	PRIM_LENGTH,    // at least a items
	PRIM_CONTAINS,  // at least a items are in atom b
	PRIM_UNIQUE,    // no two items are equal
};
struct prim {
	enum prim_kind kind;
	uint32_t a, b, c;
};

enum formula_op { FORMULA_PRIM, FORMULA_AND, FORMULA_OR, FORMULA_NOT };
struct formula_note {
	uint64_t prims;   // a bit for each prim in it, of their numbers modulo 64
	uint32_t joined;  // the conjunction or union that it was last a member of
	uint8_t op;       // enum formula_op
	bool is_literal;  // a prim or its negation
	bool is_short;    // a few literals, joined
};

// Keys of which it is not known whether they are in this language, where it stands for the regular expressions.
struct doubt {
	language of, unknown;
};

struct schema {
	struct arena *arena;
	struct diag *d;
	const struct schema_options *o;
	struct json_store store;
	struct languages *languages;
	bool failed;

	VEC(struct resource) resources;
	VEC(struct anchor) anchors;
	VEC(struct reference) references;  // to other documents
	VEC(uint32_t) resource_of;         // [json number] + 1; 0: not walked
	uint32_t n_files;
	VEC(struct opened_file) opened;
	VEC(struct known_document) folder;  // of --schemas, once it was looked at
	bool folder_is_read, metaschemas_are_read;
	bool has_dynamic;      // some $dynamicRef or $recursiveRef
	struct intern scopes;  // lists of resources; 0: empty

	struct intern keys;     // property names
	struct intern keysets;  // words of a keyset
	VEC(struct keyset) keyset;
	struct intern orders;             // lists of keys; 0: empty
	struct intern truths;             // lists of places; 0: empty
	struct intern tuples;             // lists of atoms of values
	struct intern atom_names, texts;  // texts: what schemas say, without annotations
	VEC(struct atom_info *) atoms;
	uint32_t depth;  // of evaluation, in place

	struct map64 answers;  // about formulas of objects: endless.c

	struct intern prim_names;
	struct intern formula_names;  // op, kids
	VEC(struct formula_note) formula_notes;
	VEC(uint32_t) formula_words, joined;  // scratch: of a new formula; the members of a conjunction or union
	uint32_t n_joined;                    // conjunctions and unions made so far
	struct number_cache {
		bool is_made;
		language plain, all, unsigned_all, negative_all, integers, integers_4, spelled, integers_spelled;
	} number;
	VEC(const char *) unenforced;  // "keyword pointer" of each that was allowed to be
	struct intern said;            // warnings, and what is in `unenforced`: each once
	uint32_t n_order_steps;        // of automata whose keys come in any order, with SCHEMA_ORDER_AUTO
	language nested_regex;         // 0: not made
	struct intern bounded;         // languages with bounds, of which strings_settled is known
	VEC(struct strings) settled;   // beside it
	VEC(struct doubt) doubts;
	uint32_t denied;             // DENIED_..., of formats; 0: not looked at
	struct json *root;           // what is compiled
	const struct json *no_text;  // a pattern that no string matches
	// Truths that are told apart at a place are those that are asked for together: there is a place for each such list
	// then. First only where uniqueItems tells them apart; where that is not enough, all is made again.
	bool settles, must_settle;
	struct rules *rules;
	struct lengths *lengths;
};

// Reports an error of the schema: the text, then the pointer.
void schema_error(struct schema *s, const struct json *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
// A warning, once for a place and a text: values are made for each place where they may stand.
void schema_warning(struct schema *s, struct loc loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
// The keyword at this place cannot be enforced. If that is allowed: a warning, and true.
bool schema_unenforced(struct schema *s, const struct json *at, const char *keyword, const char *detail,
                       const char *why);

bool schema_may_drop(const struct schema *s, const char *keyword);  // may it stay unenforced wherever it stands?
// The keyword at this place is not enforced: a warning, and the artifact's record.
void schema_dropped(struct schema *s, const struct json *at, const char *keyword, const char *detail, const char *why);

// references.c
// uri: what it is known by, until an $id says something else.
bool schema_open(struct schema *s, const struct source *source, const char *uri, struct json **root);
bool schema_open_all(struct schema *s);  // the documents that references lead to, where they are found
// schema_open for a text that is no file's.
bool schema_open_made(struct schema *s, const struct source *source, const char *uri, struct json **root);
const struct resource *schema_find_resource(struct schema *s, const char *uri);
size_t uri_scheme_length(const char *uri);  // of "http:"; 0: none
// From now on the value is a document of its own, of this name.
void schema_make_root(struct schema *s, struct json *node, const char *uri);
struct json *schema_resolve(struct schema *s, const struct json *reference, uint32_t resource);
uint32_t schema_resource(struct schema *s, const struct json *node);
// Looks at the metaschema that the resource names, where it is its own and is here.
void schema_read_metaschema(struct schema *s, uint32_t resource);
struct json *schema_anchor(struct schema *s, uint32_t resource, const char *name, size_t len, bool dynamic_only);
uint32_t scope_enter(struct schema *s, uint32_t scope, uint32_t resource);

// documents.c: makes the document that a reference (of so many bytes, without its fragment) means known under this URI:
// a file beside the one that refers to it, one of the folder of schemas, a metaschema. False: there is none.
bool documents_load(struct schema *s, const struct resource *from, const char *reference, size_t len, const char *uri);
void documents_release(struct schema *s);
char *uri_decode(struct arena *arena, const char *text);  // %41 is A

// value.c
struct value value_any(void);
struct value value_none(void);
struct value value_and(struct schema *s, struct value a, struct value b);
struct value value_or(struct schema *s, struct value a, struct value b);
struct value value_any_of(struct schema *s, const struct value *of, uint32_t n);  // value_or of all, in linear time
struct value value_not(struct schema *s, struct value a);
struct value value_of_json(struct schema *s, const struct json *v);
bool too_many_digits(struct schema *s, const struct json *number);  // false, after an error
struct strings strings_and(struct schema *s, struct strings a, struct strings b);
// Automata for strings that are regular expressions: one for some of them, or two between which they are.
struct strings strings_regular(struct schema *s, struct strings a);
struct strings strings_certain(struct strings a);  // of two automata the one whose texts are certainly meant
bool strings_may_be_some(struct strings a);
language strings_language(struct schema *s, struct strings a);
// Does the lexer count the characters of these strings, which a pattern, format or list says more of?
bool strings_are_counted(struct schema *s, struct strings a);
// Has the automaton of these strings, which also counts characters, at most SCHEMA_MAX_BESIDE steps?
bool strings_fit(struct schema *s, struct strings a);
// The same strings: a language, and lengths beside it only where the lexer counts them. Where they do not fit
// otherwise, times without long fractions of leap seconds (times.c).
struct strings strings_settled(struct schema *s, struct strings a);
static inline bool strings_have_bounds(struct strings a) { return a.least || a.most != TERM_UNBOUNDED; }
bool strings_are_some(struct schema *s, struct strings a);  // is there one? Not where a format has no automaton
// The most characters of one of these texts; TERM_UNBOUNDED: there are ever longer ones. *size: of the
// automaton that also counts characters up to `bound`, in steps, at most.
uint32_t language_longest(struct schema *s, language l, uint32_t bound, uint64_t *size);
// endless.c: has every beginning of one of these texts, up to the byte that closes it, infinitely many values that
// begin so? Of true, false, null and zero, which are told before, nothing is asked.
bool value_is_endless(struct schema *s, const struct value *v);
bool value_is_inhabited(struct schema *s, const struct value *v);  // certainly
// The keys that a closed object may have, in the schema's order. False: it may have others, or their number counts.
struct closed_key {
	uint32_t key;
	bool is_free;  // no condition ties it to other keys: its values are known, and whether it is required
	bool is_required;
	struct value value;
};
typedef VEC(struct closed_key) closed_key_list;
bool closed_keys(struct schema *s, const struct value *v, closed_key_list *out);

// shapes.c: how many values such items can have, as words (formats/artifact.h); nothing: they cannot be counted.
typedef VEC(uint32_t) word_list;
// *spelled: what more must be asked of each item, so that its numbers that are counted are written in one way. *order:
// of its keys, where the option leaves it open; else 0.
uint64_t shape_of(struct schema *s, const struct value *v, word_list *out, atom *spelled, uint32_t *order);
// The key of such items that would have to come last, for them to be counted: with --order schema. UINT32_MAX: none.
uint32_t shape_wants_last(struct schema *s, const struct value *v);
uint32_t order_join(struct schema *s, uint32_t a, uint32_t b);
uint32_t order_of(struct schema *s, const uint32_t *keys, uint32_t n);

// number.c
enum number_bound { NUMBER_LEAST, NUMBER_MORE, NUMBER_MOST, NUMBER_LESS };
struct numbers numbers_and(struct schema *s, struct numbers a, struct numbers b);
struct numbers numbers_or(struct schema *s, struct numbers a, struct numbers b);
struct numbers numbers_not(struct schema *s, struct numbers a);
struct numbers numbers_integer(struct schema *s, bool draft_4);
struct numbers numbers_bound(struct schema *s, enum number_bound kind, const struct decimal *b);
struct numbers numbers_equal(struct schema *s, const struct decimal *b);
// Those of the texts that write each value in one way: decimals without needless zeros.
language numbers_spelled(struct schema *s, language l);
// False: SCHEMA_MAX_MODULUS is passed.
bool numbers_multiple(struct schema *s, const struct decimal *b, struct numbers *out);

// pattern.c: ECMA 262 with u, found anywhere in the text. LANGUAGE_ERROR: *why says what is wrong with it.
language pattern_language(struct schema *s, const char *text, uint32_t len, const char **why);
// group_references.c: the same pattern without references to groups. NULL: they are not followed.
const char *pattern_without_references(struct schema *s, const char *text, uint32_t len);
// pattern_counted.c: the same pattern with a repetition without end, and the lengths that bound it. NULL: none does.
const char *pattern_counted(struct schema *s, const char *text, uint32_t len, uint32_t *least, uint32_t *most);
// format.c: false: there is no such format. It may speak of numbers.
bool format_value(struct schema *s, const struct json *name, struct value *out);
// Does the mask leave out texts of this format, or texts that one of its definitions takes?
bool format_is_narrow(const struct json *name);
// networks.c
language ipv4_networks(struct schema *s);
language ipv6_networks(struct schema *s);
// times.c
language times_of_day(struct schema *s, bool any_minute);          // true: has a leap second, others too
language without_long_leap_seconds(struct schema *s, language l);  // texts without more than 9 digits behind :60.
// regex_syntax.c: some of the regular expressions, as one automaton: groups nest SCHEMA_MAX_NESTED_GROUPS deep at most.
language regex_syntax_nested(struct schema *s);
language regex_syntax_upper(struct schema *s);  // all of them, and others
// negated.c: may a schema that is compiled deny that a string has one of these formats? Then all of its texts count.
enum { DENIED_REGEX = 1, DENIED_TIME = 2, DENIED_NARROW = 4, DENIED_ALL = 7, DENIED_KNOWN = 8 };
bool format_is_denied(struct schema *s, uint32_t which);

// formula.c
formula formula_prim(struct schema *s, enum prim_kind kind, uint32_t a, uint32_t b, uint32_t c);
formula formula_and(struct schema *s, const formula *f, uint32_t n);
formula formula_or(struct schema *s, const formula *f, uint32_t n);
formula formula_not(struct schema *s, formula f);
// What it is when each prim is as the function says.
bool formula_value(const struct schema *s, formula f, bool (*truth_of)(const void *user, struct prim p),
                   const void *user);
formula formula_if(struct schema *s, formula condition, formula then, formula otherwise);
struct prim prim_of(const struct schema *s, uint32_t number);
uint32_t keyset_of(struct schema *s, bool negated, const uint32_t *keys, uint32_t n_keys, const language *patterns,
                   uint32_t n_patterns);
bool keyset_has(const struct schema *s, uint32_t set, uint32_t key);
uint32_t key_number(struct schema *s, const char *key, uint32_t len);

// A formula as a reduced ordered binary decision diagram (Bryant 1986) over the prims of one automaton; where diagrams
// would be too large, the formula itself, simplified by what is decided: then equal rests may have several numbers.
typedef uint32_t bdd;  // 0: false, 1: true
struct bdd_node {
	uint32_t var;
	bdd no, yes;
};
struct bdds {
	struct schema *s;
	bool is_starting, is_too_large, is_lazy;  // lazy: a bdd is a formula
	VEC(struct bdd_node) nodes;
	struct intern names;
	struct map64 memo, of_formula;
	VEC(uint32_t) prims;    // [var] number of the prim
	VEC(struct prim) prim;  // [var]
	struct map64 var_of;    // of a prim
	// bdds_restrict, where formulas are kept as they are: what is known of each prim, formulas that were walked.
	VEC(uint8_t) assumed;
	uint64_t assumed_bits;  // of those
	struct map64 marked;
	VEC(formula) members;  // of formulas that are being made, one above the other
};
enum { ASSUMED_NOTHING, ASSUMED_FALSE, ASSUMED_TRUE };
void bdds_init(struct bdds *b, struct schema *s);
void bdds_release(struct bdds *b);
// Prims of a formula, each once, in order of appearance, are appended.
// The prims that must be as they are in a conjunction, negated or not: its own.
void formula_positive(const struct schema *s, formula f, void *list);  // those that hold in it, for certain
void formula_literals(const struct schema *s, formula f, struct map64 *prims);
void formula_prims(const struct schema *s, const formula *f, uint32_t n, struct map64 *seen, void *list);
enum { FORMULA_HELPS = 1, FORMULA_HINDERS = 2 };  // a prim that holds makes the formula hold; it keeps it from holding
void formula_signs(const struct schema *s, formula f, struct map64 *signs);  // of each of its prims, one or both
bool formula_parts(struct schema *s, formula f, void *list);                 // appends those that f is the union of
typedef VEC(uint32_t) u32_list;
void bdds_start(struct bdds *b, const formula *f, uint32_t n, bdd *out);
// What it is when each prim is as the function says.
bool bdd_value(const struct bdds *b, bdd f, bool (*truth_of)(const void *user, struct prim p), const void *user);
bdd bdd_restrict(struct bdds *b, bdd f, uint32_t var, bool value);
bool bdd_refuted(struct bdds *b, bdd f, uint32_t var, bool value);  // is it false then?
bool bdd_depends(struct bdds *b, bdd f, uint32_t var);              // does it differ by the variable?
// Each of f[] when all of these variables are known to be so.
void bdds_restrict(struct bdds *b, bdd *f, uint32_t n, const uint32_t *vars, uint32_t n_vars, bool value);
void bdd_support(const struct bdds *b, const bdd *f, uint32_t n, u32_list *vars);  // ascending

// keywords_simple.c: is null one more value, whatever else a schema says? Gemini's `nullable`, beside a type in
// capitals or an anyOf of such types.
bool null_is_added(const struct json *node);

// profile.c: false after errors.
bool profile_check(struct schema *s, const struct json *root);

// keywords.c
atom schema_atom(struct schema *s, struct json *node, uint32_t scope);
atom atom_const(struct schema *s, struct json *value);
atom atom_any_of(struct schema *s, const atom *list, uint32_t n);
// Numbers, or those of these keys of an object (ascending), are written in one way.
atom atom_spelled(struct schema *s, bool itself, const uint32_t *keys, uint32_t n);
// NULL after an error.
const struct value *atom_value(struct schema *s, atom a);
const struct json *atom_place(const struct schema *s, atom a);

// ---- rules.c: the grammar in the making ----

typedef uint32_t symbol;  // even: terminal * 2; odd: nonterminal * 2 + 1
struct rules;
struct rules *rules_new(struct schema *s);
void rules_free(struct rules *r);
symbol rules_nonterminal(struct rules *r, const char *name, struct loc loc);
// One that is a step within an array or object: it may be merged with another.
symbol rules_inner(struct rules *r, const char *name, struct loc loc);
symbol rules_pair(struct rules *r, symbol key, symbol value);          // key ":" value
symbol rules_any_of(struct rules *r, const symbol *list, uint32_t n);  // one of these, ascending
void rules_add(struct rules *r, symbol lhs, const symbol *rhs, uint32_t n);
// Terminals. `separator`: one of ":,{}[]".
symbol rules_sign(struct rules *r, char sign);
// '[' of an array whose items are compared at run time; shape: its n words (shapes.c), n 0: items are endless.
symbol rules_unique_bracket(struct rules *r, const uint32_t *shape, uint32_t n);
// '[' of an array of which the matcher tells how it ends, and ']' of one in which two items are equal.
symbol rules_told_bracket(struct rules *r);
symbol rules_equal_bracket(struct rules *r);
void rules_add_empty(struct rules *r, symbol lhs, bool object);  // [] or {}
// `called`: the name, if the strings are neither all of them, nor bounded only, nor few.
symbol rules_strings(struct rules *r, struct strings strings, const char *called);
symbol rules_key(struct rules *r, const char *text, uint32_t len);
// Parts of a string whose length is counted (lengths.c): its first quote (alone: no other string may stand there), n
// characters, and a bounded number of them with the last quote.
symbol rules_quote(struct rules *r, struct strings bounds, bool alone);
symbol rules_chunk(struct rules *r, uint32_t n);
symbol rules_tail(struct rules *r, uint32_t least, uint32_t most);
bool rules_finish(struct rules *r, symbol start, struct grammar *g);

// describe.c: what a schema says of its strings or numbers, for people.
const char *schema_described(const struct json *node, bool is_string, struct arena *arena);

typedef VEC(symbol) symbol_list;
// repeats.c: many repetitions of one symbol. Behind them stands a tail, by what is left to count.
#define REPEATS_BASE 16u
#define REPEATS_LEVELS 9u  // REPEATS_BASE ^ REPEATS_LEVELS passes 2^32
#define REPEATS_NO_MOST UINT64_MAX
struct repeats {
	struct schema *s;
	const char *name;  // of its nonterminals, for people
	uint64_t size;     // what one unit counts for
	symbol (*tail)(struct repeats *x, uint64_t least, uint64_t most);
	symbol tail_symbol;  // for the tail's own use
	symbol unit[REPEATS_LEVELS], row[REPEATS_LEVELS][REPEATS_BASE];
	struct intern rest_names;  // a rest: its level and bounds -> place in rests
	symbol_list rests;
};
void repeats_init(struct repeats *x, struct schema *s, symbol unit, uint64_t size);
symbol repeats_between(struct repeats *x, uint64_t least, uint64_t most);
void repeats_exactly(struct repeats *x, uint64_t n, symbol_list *out);  // no tail
void repeats_release(struct repeats *x);

// lengths.c: strings of any characters whose number is within the bounds, as productions.
struct lengths;
symbol lengths_symbol(struct schema *s, struct strings bounds, bool alone);
void lengths_free(struct lengths *x);

// shorten.c: merges steps that are needed once.
struct rule {
	symbol lhs;
	uint32_t first, n;  // in symbols
};
struct rule_set {
	struct rule *rules;
	uint32_t n_rules, n_nonterminals;
	symbol_list *symbols;  // grows
	uint8_t *live;         // [n_rules]
	const uint8_t *inner;  // [n_nonterminals] INNER_...
	symbol start;
};
enum { INNER_NO, INNER_STEP, INNER_PAIR };
void rules_shorten(struct rule_set *x);

// merge.c: nonterminals that derive the same in the same way are one. productions: by left side.
void rules_merge(struct grammar *g);
// Productions of one left side in order, each once; how many are left.
uint32_t rules_sort_productions(struct production *at, uint32_t n);

// Which of the schemas that are told apart a value is in: their places in split, ascending, as a number of
// schema.truths. 0: in none. truths.c
typedef uint32_t truth;
bool truth_has(const struct schema *s, truth t, uint32_t place);
truth truth_with(struct schema *s, truth t, uint32_t place);           // place: above those that it has
uint32_t truth_from(const struct schema *s, truth t, uint32_t first);  // bit i: it has place first + i; 32 at most
// A set of values that are told apart: those in all of `must`, by which of `split` they are in.
struct place {
	const atom *must, *split;
	uint32_t n_must, n_split;
	uint32_t order;         // of keys of its objects, whatever the option says; 0: as that says
	const u32_list *asked;  // all truths that may stand there, where that is known; NULL
};
// The nonterminal of those with this truth for each of split; 0 (a terminal's): there are certainly none.
#define NO_SYMBOL UINT32_MAX
symbol place_symbol(struct schema *s, const struct place *p, truth of);
// told_apart.c: behind `from` these symbols may come, n truths of the place. If it is told at run time which of them a
// text is, all of them must be on the way to the start, or none.
bool told_apart_refuse(struct schema *s, const struct json *at,
                       const char *why);  // false: an error, or all is made again
void told_apart_note(struct schema *s, const struct place *p, symbol from, const symbol *list, uint32_t n);
// Conditions on its arrays, or on its objects, that nothing decides before they are read; UINT32_MAX after an error.
uint32_t place_undecided(struct schema *s, const struct place *p);
// Which truths may occur? Appends them; is_exact: none that do not, where that can be found out. False after an error.
bool place_truths(struct schema *s, const struct place *p, bool is_exact, u32_list *out);

// objects.c, arrays.c: rules of objects (arrays) that satisfy formula `must`, by the truths of formulas split[].
// result[] is called for each nonterminal that is one with these truths.
struct wanted {
	formula must;
	const formula *split;
	uint32_t n_split;
	uint32_t order;
	const char *name;
	struct loc loc;
	symbol (*result)(void *user, truth of);  // the left side to add to
	// Of arrays: the truths that something has asked for, NULL: nobody knows; who is told that others are left out, as
	// the keyword at this place cannot be decided for them; whether they are.
	const u32_list *asked;
	void (*left_out)(void *user, const struct json *at);
	void (*told)(void *user, const struct json *at);  // it is told at run time whether they satisfy that keyword
	bool is_asked_only;
	bool in_order;  // keys of objects, whatever the option says
	void *user;
};
#define UNIQUE_UNDECIDED                                                                                               \
	"uniqueItems: another alternative (anyOf, oneOf, if, not) allows the same array with equal items, so the keyword " \
	"decides between them only when the array has ended; say it in all of them, or outside"
bool objects_build(struct schema *s, const struct wanted *w);
bool arrays_build(struct schema *s, const struct wanted *w);

// entry.c: what the value of one entry (item) has to be told apart by.
struct entry {
	u32_list must, split;  // atoms
	struct map64 places;   // in split, where it is long
	u32_list truths;       // of split: those that may occur
	uint32_t order;        // of its keys, whatever the option says; 0: as that says
	bool is_exact;         // truths: as place_truths
};
void entry_atom(struct entry *e, atom a, bool is_forced);
void entry_settle(struct entry *e);  // a schema that must hold is not told apart
bool entry_truths(struct schema *s, struct entry *e);
struct place entry_place(const struct entry *e);
int entry_is_in(const struct schema *s, const struct entry *e, atom a, truth t);  // 1, 0; -1: neither list has the atom
void entry_release(struct entry *e);
// What is left of the formulas of a state, [0] of the one that must hold, behind it of each of split.
void left_begin(struct bdds *b, const struct wanted *w, bdd *left);
void left_restrict(struct bdds *b, const struct wanted *w, bdd *left, uint32_t var, bool value);
bool left_depends(struct bdds *b, const struct wanted *w, const bdd *left, uint32_t var);
// The truths of split where each prim is as the function says; false: what must hold does not.
bool left_truth(const struct bdds *b, const struct wanted *w, const bdd *left,
                bool (*truth_of)(const void *user, struct prim p), const void *user, truth *out);
formula wanted_asked(struct schema *s, const struct wanted *w);  // with one of the truths that were asked for
void wanted_prims(struct schema *s, const struct wanted *w, u32_list *prims);
// Variables by rank: those of small rank stand above in the diagrams.
struct ranked {
	uint64_t rank;
	uint32_t prim;
};
typedef VEC(struct ranked) ranked_list;
void bdds_number(struct bdds *b, ranked_list *ranked);

#endif
