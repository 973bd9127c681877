// Control tokens that a grammar names: what is taken, what is refused and with which words, and where they are told.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gcdc/compile.h"

// Ids: 0 <pad>, 1 </s>, 2 [CALL], 3 <think>, then letters.
static const char tokenizer[] =
	"{\"added_tokens\":[{\"id\":0,\"content\":\"<pad>\",\"special\":true},{\"id\":1,\"content\":\"</"
	"s>\",\"special\":true},"
	"{\"id\":2,\"content\":\"[CALL]\",\"special\":true},{\"id\":3,\"content\":\"<think>\",\"special\":false}],"
	"\"decoder\":{\"type\":\"ByteLevel\"},\"pre_tokenizer\":{\"type\":\"ByteLevel\"},"
	"\"model\":{\"type\":\"BPE\",\"merges\":[],\"vocab\":{\"a\":4,\"b\":5,\"<\":6,\"t\":7,\"\xC3\xBF\":8,\"\xC4\xA2\":"
	"9,"
	"\"!\":10,\"#\":11,\"h\":12,\"i\":13,\"n\":14,\"k\":15,\">\":16}}}";

static gcdc_vocab *vocabulary(void)
{
	static const uint32_t eos = 1;
	const gcdc_vocab_options o = {.eos = &eos, .n_eos = 1};
	gcdc_vocab *v;
	gcdc_diagnostics *d;
	cr_assert_eq(gcdc_vocab_open_memory(tokenizer, sizeof tokenizer - 1, &o, &v, &d), GCDC_OK, "%s",
	             gcdc_diagnostics_text(d));
	gcdc_diagnostics_free(d);
	return v;
}

static gcdc_compiled *compiled(const gcdc_vocab *v, const char *text, const gcdc_compile_options *o)
{
	const gcdc_input in = {.kind = GCDC_KIND_LARK, .path = "g.lark", .text = text, .len = strlen(text)};
	gcdc_compiled *c;
	gcdc_diagnostics *d;
	cr_assert_eq(gcdc_compile(v, &in, o, &c, &d), GCDC_OK, "%s", gcdc_diagnostics_text(d));
	gcdc_diagnostics_free(d);
	return c;
}

struct opened {
	gcdc_vocab *v;
	gcdc_compiled *c;
	gcdc_artifact *a;
	gcdc_matcher *m;
};

static void open_compiled(struct opened *o)
{
	size_t len;
	const void *bytes = gcdc_compiled_bytes(o->c, &len);
	cr_assert_eq(gcdc_artifact_open_memory(bytes, len, NULL, &o->a, NULL), GCDC_OK);
	cr_assert_eq(gcdc_matcher_new(o->a, NULL, &o->m), GCDC_OK);
}

static struct opened opened(const char *text)
{
	struct opened o = {.v = vocabulary()};
	o.c = compiled(o.v, text, NULL);
	open_compiled(&o);
	return o;
}

static void close_all(struct opened *o)
{
	gcdc_matcher_free(o->m);
	gcdc_artifact_close(o->a);
	gcdc_compiled_free(o->c);
	gcdc_vocab_close(o->v);
}

static void expect_refused(const char *text, const char *says)
{
	gcdc_vocab *v = vocabulary();
	const gcdc_input in = {.kind = GCDC_KIND_LARK, .path = "g.lark", .text = text, .len = strlen(text)};
	gcdc_compiled *c;
	gcdc_diagnostics *d;
	cr_expect_eq(gcdc_compile(v, &in, NULL, &c, &d), GCDC_ERR_GRAMMAR, "%s", text);
	cr_expect(strstr(gcdc_diagnostics_text(d), says), "%s: %s", text, gcdc_diagnostics_text(d));
	gcdc_diagnostics_free(d);
	gcdc_vocab_close(v);
}

static uint32_t mask_of(gcdc_matcher *m)
{
	uint32_t mask = 0;
	cr_assert_eq(gcdc_matcher_fill(m, &mask, 1, NULL), GCDC_OK);
	return mask;
}

#define ID(t) (1u << (t))

Test(control, names_ids_and_ranges)
{
	struct opened o = opened("start: /[ab]/ (<\"[CALL]\"> | <[0]>) <[0-16]> \"b\"\n");
	gcdc_matcher *m = o.m;
	cr_expect_eq(mask_of(m), ID(4) | ID(5));
	cr_assert_eq(gcdc_matcher_accept(m, 4), GCDC_OK);
	cr_expect_eq(mask_of(m), ID(0) | ID(2));
	cr_assert_eq(gcdc_matcher_accept(m, 2), GCDC_OK);
	cr_expect_eq(mask_of(m), ID(0) | ID(2) | ID(3));  // neither EOS nor text
	cr_assert_eq(gcdc_matcher_accept(m, 3), GCDC_OK);
	uint32_t token = 0, n = 0;
	cr_assert_eq(gcdc_matcher_min_tokens(m, true, &n), GCDC_OK);
	cr_expect_eq(n, 2);
	cr_expect_str_eq(gcdc_artifact_control(o.a, 0, &token), "<pad>");
	cr_expect_str_eq(gcdc_artifact_control(o.a, 2, &token), "<think>");
	cr_expect(token == 3 && !gcdc_artifact_control(o.a, 3, NULL));
	close_all(&o);
}

Test(control, no_class_has_one_and_no_text_spells_one)
{
	struct opened o = opened("start: TEXT? <\"[CALL]\">\nTEXT: /[^b]+/\n");
	gcdc_matcher *m = o.m;
	// Token 8 is the byte 0xFF; tokens of text come, <think> among them, which the grammar does not name.
	cr_expect_eq(mask_of(m),
	             ID(2) | ID(3) | ID(4) | ID(6) | ID(7) | ID(10) | ID(11) | ID(12) | ID(13) | ID(14) | ID(15) | ID(16));
	uint8_t spelled[5];
	cr_assert_eq(gcdc_control_bytes(2, spelled), 5);
	cr_expect_eq(gcdc_matcher_accept_bytes(m, "a", 1), GCDC_OK);
	cr_expect_eq(gcdc_matcher_accept_bytes(m, spelled, 5), GCDC_OK);
	cr_expect(gcdc_matcher_is_completed(m));
	close_all(&o);
}

// An added token that is text elsewhere is not both: its characters are left to other tokens.
Test(control, a_named_added_token_is_no_text)
{
	struct opened o = opened("start: \"<think>\" <think>\n");
	gcdc_matcher *m = o.m;
	cr_expect_eq(mask_of(m), ID(6));
	cr_assert_eq(gcdc_matcher_accept_bytes(m, "<think>", 7), GCDC_OK);
	cr_expect_eq(mask_of(m), ID(3));
	uint32_t token;
	size_t n;
	uint8_t forced[16];
	cr_assert_eq(gcdc_matcher_forced_bytes(m, forced, sizeof forced, &n), GCDC_OK);
	cr_expect_eq(n, 0);
	cr_assert_eq(gcdc_matcher_forced_tokens(m, &token, 1, &n), GCDC_OK);
	cr_expect(n == 1 && token == 3);
	close_all(&o);
}

Test(control, what_is_wrong_is_said)
{
	expect_refused("start: <thinc>\n", "no control token <thinc>; did you mean <think>?");
	expect_refused("start: <nothing_like_it>\n", "it has <pad>, </s>, [CALL], <think>");
	expect_refused("start: </s>\n", "ends the text (EOS)");
	expect_refused("start: <[4]>\n", "token 4 of <memory> is text");
	expect_refused("start: <[17]>\n", "has no token 17");
	expect_refused("start: <[4-9]>\n", "no token in [4-9] may be named");
	expect_refused("start: <[4-]>\n", "<[3,10-20]>");
	expect_refused("start: \"a\" < think>\n", "expected >");
	expect_refused("start: A <think>\nA: /a+(?=b)/\n", "has a lookahead or a lookbehind");
}

// The names come along in a .gcdv, and an artifact without tokens finds the same masks with it.
Test(control, compiled_vocabularies_know_names)
{
	gcdc_vocab *v = vocabulary(), *again;
	char path[] = "/tmp/gcdc_control_XXXXXX";
	int fd = mkstemp(path);
	cr_assert(fd >= 0);
	cr_assert_eq(gcdc_vocab_write(v, path, NULL), GCDC_OK);
	cr_assert_eq(gcdc_vocab_open(path, NULL, &again, NULL), GCDC_OK);
	const char *g = "start: \"a\" <think> <\"[CALL]\">\n";
	const gcdc_compile_options bare = {.no_vocab = true};
	gcdc_compiled *c = compiled(again, g, &bare);
	size_t len;
	const void *bytes = gcdc_compiled_bytes(c, &len);
	gcdc_artifact *a;
	gcdc_matcher *m;
	gcdc_refusal why;
	const gcdc_open_options with = {.vocab_path = path};
	cr_assert_eq(gcdc_artifact_open_memory(bytes, len, &with, &a, &why), GCDC_OK, "%s", why.what);
	cr_assert_eq(gcdc_matcher_new(a, NULL, &m), GCDC_OK);
	cr_assert_eq(gcdc_matcher_accept(m, 4), GCDC_OK);
	cr_expect_eq(mask_of(m), ID(3));
	// A live tokenizer has the tokens' own bytes.
	uint8_t all[256];
	uint64_t offsets[18] = {0};
	uint32_t differ[4];
	size_t n = 0;
	for (uint32_t t = 0; t < 17; t++) {
		uint32_t size;
		const uint8_t *s = gcdc_vocab_token(v, t, &size);
		memcpy(all + offsets[t], s, size);
		offsets[t + 1] = offsets[t] + size;
	}
	cr_expect_eq(gcdc_vocab_check(a, &(gcdc_token_texts){all, offsets, 17}, differ, 4, &n), GCDC_OK);
	gcdc_matcher_free(m);
	gcdc_artifact_close(a);
	gcdc_compiled_free(c);
	gcdc_vocab_close(v), gcdc_vocab_close(again);
	close(fd);
	unlink(path);
}

static struct opened open_tag(const char *tag)
{
	struct opened o = {.v = vocabulary()};
	const gcdc_input in = {.kind = GCDC_KIND_STRUCTURAL_TAG, .text = tag, .len = strlen(tag)};
	gcdc_diagnostics *d;
	cr_assert_eq(gcdc_compile(o.v, &in, NULL, &o.c, &d), GCDC_OK, "%s", gcdc_diagnostics_text(d));
	gcdc_diagnostics_free(d);
	open_compiled(&o);
	return o;
}

// Structural tags: text up to a trigger, a schema, a token as the end.
Test(control, structural_tags)
{
	static const char tag[] =
		"{\"type\":\"structural_tag\",\"format\":{\"type\":\"sequence\",\"elements\":[{\"type\":\"triggered_tags\","
		"\"triggers\":[\"<t\"],\"stop_after_first\":true,\"at_least_one\":true,\"tags\":[{\"type\":\"tag\",\"begin\":"
		"\"<t>\","
		"\"content\":{\"type\":\"any_text\",\"excludes\":[\"ab\"]},\"end\":[\"<b>\",\"<a>\"]}]},"
		"{\"type\":\"token\",\"token\":\"[CALL]\"}]}}";
	struct opened o = open_tag(tag);
	gcdc_matcher *m = o.m;
	cr_expect_eq(mask_of(m), ID(6));
	cr_assert_eq(gcdc_matcher_accept_bytes(m, "<t>ba!<a", 8), GCDC_OK);
	cr_expect(!(mask_of(m) & ID(5)) && mask_of(m) & ID(16) && mask_of(m) & ID(4));
	cr_assert_eq(gcdc_matcher_accept(m, 16), GCDC_OK);
	cr_expect_eq(mask_of(m), ID(2));
	cr_assert_eq(gcdc_matcher_accept(m, 2), GCDC_OK);
	cr_expect(gcdc_matcher_is_completed(m));
	close_all(&o);
}

// Free tokens behind a trigger among free tokens: sets of special tokens that overlap are read by their classes.
Test(control, sets_of_tokens_overlap)
{
	static const char tag[] =
		"{\"type\":\"structural_tag\",\"format\":{\"type\":\"token_dispatch\",\"rules\":[[2,{\"type\":"
		"\"any_tokens\"}]]}}";
	struct opened o = open_tag(tag);
	const uint32_t path[] = {4, 0, 2, 0, 2, 16, 2};
	uint32_t all = mask_of(o.m);
	cr_expect((all & 7) == 7 && all & ID(4) && all & ID(16), "%x", all);
	for (uint32_t i = 0; i < sizeof path / sizeof *path; i++) {
		cr_assert_eq(gcdc_matcher_accept(o.m, path[i]), GCDC_OK);
		cr_expect_eq(mask_of(o.m), all, "behind %u tokens", i + 1);
	}
	close_all(&o);
}
