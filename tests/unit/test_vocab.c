// Vocabularies: what tokenizer.json becomes, what is refused, the trie, compiled vocabularies.
#include "../../lib/vocab/vocab.h"

#include <criterion/criterion.h>
#include <unistd.h>

#include "../../formats/vocab_file.h"

#define BYTES(v, t) (int)((v)->offset[(t) + 1] - (v)->offset[t]), (const char *)(v)->bytes + (v)->offset[t]

static bool is(const struct vocab *v, token_id t, const char *bytes, size_t len)
{
	return v->offset[t + 1] - v->offset[t] == len && !memcmp(v->bytes + v->offset[t], bytes, len);
}
#define IS(v, t, text) is((v), (t), (text), sizeof(text) - 1)

static void build(struct vocab *v, uint32_t n, const char *const *texts)
{
	const uint8_t *bytes[64] = {0};
	uint32_t len[64] = {0};
	for (uint32_t i = 0; i < n; i++) bytes[i] = (const uint8_t *)texts[i], len[i] = (uint32_t)strlen(texts[i]);
	vocab_build(&(struct vocab_tokens){n, bytes, len, NULL, 0, NULL}, v);
	cr_assert_null(vocab_check(v));
}

static trie_node find(const struct trie *t, const char *text)
{
	trie_node node = 0;
	for (; *text; text++) {
		trie_node c = node + 1;
		while (c < t->end[node] && t->byte[c] != (uint8_t)*text) c = t->end[c];
		if (c >= t->end[node]) return UINT32_MAX;
		node = c;
	}
	return node;
}

Test(vocab, ranks_are_in_the_order_of_bytes_then_ids)
{
	struct vocab v;
	const char *texts[] = {"b", "ab", "abcdefghij", "abcdefgh", "abcdefghi", "", "ab", "a", "abcdefgh\x01", "\xff"};
	build(&v, 10, texts);
	const token_id want[] = {7, 1, 6, 3, 8, 4, 2, 0, 9};
	cr_assert_eq(v.n_ranks, 9);
	for (uint32_t r = 0; r < 9; r++) cr_expect_eq(v.token_of[r], want[r], "rank %u is %u", r, v.token_of[r]);
	cr_expect_eq(v.max_token_len, 10);
	vocab_release(&v);
}

Test(vocab, zero_bytes_do_not_end_a_token)
{
	struct vocab v;
	const uint8_t *bytes[] = {(const uint8_t *)"a\0\0", (const uint8_t *)"a", (const uint8_t *)"a\0"};
	const uint32_t len[] = {3, 1, 2};
	vocab_build(&(struct vocab_tokens){3, bytes, len, NULL, 0, NULL}, &v);
	cr_assert_null(vocab_check(&v));
	cr_expect(v.token_of[0] == 1 && v.token_of[1] == 2 && v.token_of[2] == 0);
	vocab_release(&v);
}

Test(vocab, trie_gives_tokens_of_a_node_and_of_its_subtree)
{
	struct vocab v;
	const char *texts[] = {"ab", "a", "abc", "b", "ab", "abd"};
	build(&v, 6, texts);
	trie_node ab = find(&v.trie, "ab");
	cr_assert_eq(v.trie.rank[ab + 1] - v.trie.rank[ab], 2);
	cr_expect_eq(v.token_of[v.trie.rank[ab]], 0);
	cr_expect_eq(v.token_of[v.trie.rank[ab] + 1], 4);
	cr_expect_eq(v.trie.rank[v.trie.end[ab]] - v.trie.rank[ab], 4);
	cr_expect_eq(find(&v.trie, "ac"), UINT32_MAX);
	vocab_release(&v);
}

Test(vocab, empty_vocabularies_are_whole)
{
	struct vocab v;
	build(&v, 0, NULL);
	cr_expect_eq(v.trie.n_nodes, 1);
	vocab_release(&v);
	const char *texts[] = {""};
	build(&v, 1, texts);
	cr_expect_eq(v.n_ranks, 0);
	vocab_release(&v);
}

Test(vocab, check_notices_broken_promises)
{
	struct vocab v;
	const char *texts[] = {"ab", "a", "abc", "b"};
	build(&v, 4, texts);
	uint32_t *rank = (uint32_t *)v.trie.rank, *end = (uint32_t *)v.trie.end, *token_of = (uint32_t *)v.token_of;
	uint8_t *byte = (uint8_t *)v.trie.byte;
	end[1]++;
	cr_expect_not_null(vocab_check(&v));
	end[1]--;
	end[2] = 2;
	cr_expect_not_null(vocab_check(&v));
	end[2] = 4;
	rank[2]++;
	cr_expect_not_null(vocab_check(&v));
	rank[2]--;
	byte[3]++;
	cr_expect_not_null(vocab_check(&v));
	byte[3]--;
	token_of[0] = 4;
	cr_expect_not_null(vocab_check(&v));
	token_of[0] = 1;
	v.max_token_len++;
	cr_expect_not_null(vocab_check(&v));
	v.max_token_len--;
	cr_expect_null(vocab_check(&v));
	vocab_release(&v);
}

// --- tokenizer.json
// ---------------------------------------------------------------------------------------------------

#define BYTE_LEVEL "\"decoder\":{\"type\":\"ByteLevel\"}"
#define PIECES                                                                                                         \
	"\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\",\"pattern\":{\"String\":\"\xE2\x96\x81\"}" \
	","                                                                                                                \
	"\"content\":\" \"},{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},{\"type\":\"Strip\",\"content\":\" "           \
	"\",\"start\":1,"                                                                                                  \
	"\"stop\":0}]}"
#define MODEL(vocab) "\"model\":{\"type\":\"BPE\",\"vocab\":{" vocab "},\"merges\":[]}"

static bool parse(const char *json, const char *config, const struct vocab_options *o, struct diag *d, struct vocab *v)
{
	bool good = vocab_parse(
		&(struct vocab_texts){"t/tokenizer.json", json, strlen(json), config, config ? strlen(config) : 0}, o, d, v);
	if (good) cr_assert_null(vocab_check(v), "%s", vocab_check(v));
	cr_assert_eq(good, d->n_errors == 0, "%s", diag_text(d));
	return good;
}

Test(vocab, byte_level_tokens_are_bytes)
{
	struct diag d = {0};
	struct vocab v;
	// U+0120 is a space, U+010A a newline, U+00AD is no letter of the alphabet: then the whole token is raw UTF-8.
	cr_assert(parse("{" BYTE_LEVEL "," MODEL(
						"\"\\u0120a\":0,\"\\u010a\":1,\"\\u00ff\\u00fe\":3,\"\\u0120\\u00ad\":4,\"\\uff5cx\":5,\"!\":6,"
						"\"\\u0143\":7,\"\\u0121\":8,\"\":9") "}",
	                NULL, NULL, &d, &v),
	          "%s", diag_text(&d));
	cr_expect_eq(v.n_tokens, 10);
	cr_expect(IS(&v, 0, " a") && IS(&v, 1, "\n") && IS(&v, 3, "\xff\xfe") && IS(&v, 6, "!"));
	cr_expect(IS(&v, 4, "\xC4\xA0\xC2\xAD"), "trap 18");
	cr_expect(IS(&v, 5, "\xEF\xBD\x9Cx"));
	cr_expect(IS(&v, 7, "\xAD") && IS(&v, 8, "\x7F"));
	cr_expect(v.kind[2] == TOKEN_UNUSED && IS(&v, 2, ""), "a gap in the ids");
	cr_expect(v.kind[9] == TOKEN_TEXT, "an empty token is text without a rank");
	cr_expect_eq(v.n_ranks, 8);
	cr_expect_str_eq(v.name, "t");
	cr_expect(v.n_eos == 0 && d.messages.n == 0, "none is fine where the caller does not need one");
	vocab_release(&v), diag_release(&d);
}

Test(vocab, piece_tokens_keep_their_space_and_bytes_fall_back)
{
	struct diag d = {0};
	struct vocab v;
	cr_assert(
		parse("{" PIECES "," MODEL(
				  "\"<0x41>\":0,\"A\":1,\"\xE2\x96\x81the\":2,\"<0x0a>\":3,\"<0xZZ>\":4,\"\xE2\x96\x81\xE2\x96\x81\":5,"
				  "\"<0xFF>\":6") "}",
	          NULL, NULL, &d, &v),
		"%s", diag_text(&d));
	cr_expect(IS(&v, 0, "A") && IS(&v, 1, "A"), "trap 15: both are A");
	cr_expect(IS(&v, 2, " the"), "trap 17: Strip acts on texts, not tokens");
	cr_expect(IS(&v, 3, "\n") && IS(&v, 4, "<0xZZ>") && IS(&v, 5, "  ") && IS(&v, 6, "\xFF"));
	cr_expect(v.token_of[0] == 3 && v.token_of[1] == 5);
	vocab_release(&v), diag_release(&d);
}

// Behind Fuse and ByteFallback one character is replaced, in byte tokens, too, where one is a character.
Test(vocab, one_character_is_replaced_behind_fuse)
{
	struct diag d = {0};
	struct vocab v;
	cr_assert(parse("{\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},"
	                "{\"type\":\"Replace\",\"pattern\":{\"String\":\"\xE2\x96\x81\"},\"content\":\" \"},"
	                "{\"type\":\"Replace\",\"pattern\":{\"String\":\"_\"},\"content\":\"--\"},"
	                "{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}]}," MODEL(
						"\"\xE2\x96\x81the\":0,\"<0xE2>\":1,\"<0x5F>\":2,\"a_b\xE2\x96\x81\":3,\"<0x61>\":4") "}",
	                NULL, NULL, &d, &v),
	          "%s", diag_text(&d));
	cr_expect(IS(&v, 0, " the") && IS(&v, 1, "\xE2") && IS(&v, 2, "--") && IS(&v, 3, "a--b ") && IS(&v, 4, "a"));
	cr_expect(d.messages.n == 1 && strstr(diag_text(&d), "[spelled-replace]"), "%s", diag_text(&d));
	vocab_release(&v), diag_release(&d);
}

Test(vocab, unigram_tokens_are_listed_in_the_order_of_ids)
{
	struct diag d = {0};
	struct vocab v;
	cr_assert(parse("{" PIECES ",\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"<unk>\",0],[\"\xE2\x96\x81"
	                "a\",-1.5],[\"<0x0A>\",-2]]}}",
	                NULL, NULL, &d, &v),
	          "%s", diag_text(&d));
	cr_expect(v.n_tokens == 3 && v.kind[0] == TOKEN_CONTROL && IS(&v, 1, " a") && IS(&v, 2, "\n"));
	vocab_release(&v), diag_release(&d);
}

Test(vocab, word_pieces_stand_behind_a_blank_or_in_a_word)
{
	struct diag d = {0};
	struct vocab v;
	cr_assert(parse("{\"decoder\":{\"type\":\"WordPiece\",\"prefix\":\"##\",\"cleanup\":true},"
	                "\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\",\"continuing_subword_prefix\":\"##\","
	                "\"vocab\":{\"[UNK]\":0,\"go\":1,\"##ing\":2,\".\":3,\"##.\":4,\"n't\":5,\"\":6,\"##\":7}}}",
	                NULL, NULL, &d, &v),
	          "%s", diag_text(&d));
	cr_expect(v.kind[0] == TOKEN_CONTROL && IS(&v, 1, " go") && IS(&v, 2, "ing"));
	cr_expect(IS(&v, 3, ".") && IS(&v, 4, ".") && IS(&v, 5, "n't"), "HuggingFace's clean-up takes the blank away");
	cr_expect(IS(&v, 6, " ") && IS(&v, 7, ""), "an empty token is a word, too");
	vocab_release(&v), diag_release(&d);
}

static bool load_bytes(const char *bytes, size_t len, const struct vocab_options *o, struct diag *d, struct vocab *v)
{
	return vocab_load_memory(&(struct vocab_texts){"t/file", bytes, len, NULL, 0}, o, d, v);
}

Test(vocab, sentencepiece_models_are_read)
{
	static const char model[] = "\n\016\n\005<unk>\025\0\0\0\0\030\002"   // unknown
								"\n\014\n\003<s>\025\0\0\0\0\030\003"     // control
								"\n\015\n\004</s>\025\0\0\0\0\030\003"    // control: EOS
								"\n\017\n\006<0x0A>\025\0\0\0\0\030\006"  // a byte
								"\n\013\n\004\xE2\x96\x81t\025\0\0\0\0"   // normal
								"\n\010\n\001x\025\0\0\0\0"               // normal; then trainer_spec: eos_id 2
								"\022\003\xD0\002\002";
	struct diag d = {0};
	struct vocab v;
	cr_assert(load_bytes(model, sizeof model - 1, NULL, &d, &v), "%s", diag_text(&d));
	cr_expect(v.n_tokens == 6 && v.kind[0] == TOKEN_CONTROL && v.kind[1] == TOKEN_CONTROL);
	cr_expect(v.n_eos == 1 && v.eos[0] == 2);
	cr_expect(IS(&v, 3, "\n") && IS(&v, 4, " t") && IS(&v, 5, "x"));
	vocab_release(&v);
	diag_release(&d);
}

// Behind a whole model's pieces stand trainer_spec and normalizer_spec: their absence shows a cut between two pieces.
Test(vocab, sentencepiece_models_that_are_cut_are_refused)
{
	static const char model[] = "\n\016\n\005<unk>\025\0\0\0\0\030\002"
								"\n\014\n\003<s>\025\0\0\0\0\030\003"
								"\n\015\n\004</s>\025\0\0\0\0\030\003\n\010\n\001x\025\0\0\0\0"
								"\022\003\xD0\002\002\032\0";
	const size_t pieces = sizeof model - 1 - 7, whole[] = {pieces + 5, pieces + 7};
	struct vocab v;
	for (size_t len = 4; len < sizeof model; len++) {
		struct diag d = {0};
		bool is_read = load_bytes(model, len, NULL, &d, &v);
		cr_expect_eq(is_read, len == whole[0] || len == whole[1], "%zu bytes: %s", len, diag_text(&d));
		cr_expect(is_read || strstr(diag_text(&d), "SentencePiece model"), "%zu: %s", len, diag_text(&d));
		if (is_read) vocab_release(&v);
		diag_release(&d);
	}
}

Test(vocab, tekken_files_are_read)
{
	static const char tekken[] =
		"{\"config\":{\"default_num_special_tokens\":3,\"default_vocab_size\":5},\"vocab\":["
		"{\"rank\":0,\"token_bytes\":\"AA==\",\"token_str\":\"\\u0000\"},{\"rank\":1,\"token_bytes\":\"IHRo\"},"
		"{\"rank\":2,\"token_bytes\":\"/w==\"}]}";
	struct diag d = {0};
	struct vocab v;
	cr_assert(load_bytes(tekken, sizeof tekken - 1, NULL, &d, &v), "%s", diag_text(&d));
	cr_expect(v.n_tokens == 5 && v.n_eos == 1 && v.eos[0] == 2 && v.kind[0] == TOKEN_CONTROL);
	cr_expect(v.offset[4] - v.offset[3] == 1 && v.bytes[v.offset[3]] == 0 && IS(&v, 4, " th"));
	vocab_release(&v), diag_release(&d);
}

Test(vocab, tiktoken_files_are_read_and_their_end_is_asked_for)
{
	static const char list[] = "IQ== 0\n/w== 1\nIHRo 3\n";
	struct diag d = {0};
	struct vocab v;
	cr_assert(load_bytes(list, sizeof list - 1, NULL, &d, &v), "%s", diag_text(&d));
	cr_expect(v.n_tokens == 4 && v.n_eos == 0 && IS(&v, 0, "!") && v.kind[2] == TOKEN_UNUSED && IS(&v, 3, " th"));
	vocab_release(&v);
	cr_expect_not(load_bytes(list, sizeof list - 1, &(struct vocab_options){.ends = VOCAB_ENDS_NEEDED}, &d, &v));
	cr_expect(strstr(diag_text(&d), "no token of \"t/file\" is known to end a text"));
	cr_expect_not(load_bytes("IQ== 0\nIQ== 0\n", 14, NULL, &d, &v));
	cr_expect(strstr(diag_text(&d), "gives rank 0 a second time"));
	diag_release(&d);
}

#define TEKKEN(config, vocab) "{\"config\":{" config "},\"vocab\":" vocab "}"
#define TEKKEN_3_OF_5 "\"default_num_special_tokens\":3,\"default_vocab_size\":5"

Test(vocab, broken_files_of_other_libraries_are_refused_with_the_reason)
{
	static const struct {
		const char *bytes, *says;
	} cases[] = {
		{"IQ== 0\n!!!! 1\n", "line 2 of this tiktoken file is not base64"},
		{"IQ== 0\nIQ= 1\n", "line 2 of this tiktoken file is not base64"},
		{"IQ== 0\nIQ==\n", "line 2 of this tiktoken file is not base64"},
		{"IQ== 0\nIQ== -1\n", "line 2 of this tiktoken file is not base64"},
		{"IQ== 0\nIQ== 4000000\n", "line 2 of this tiktoken file is not base64"},
		{"IQ== 0\nIQ== 99999999999999999999\n", "line 2 of this tiktoken file is not base64"},
		{TEKKEN("\"default_num_special_tokens\":3,\"default_vocab_size\":2", "[]"), "that fit"},
		{TEKKEN("\"default_num_special_tokens\":\"3\",\"default_vocab_size\":5", "[]"), "that fit"},
		{TEKKEN("\"default_num_special_tokens\":3,\"default_vocab_size\":4000001", "[]"), "that fit"},
		{TEKKEN(TEKKEN_3_OF_5, "{}"), "no array \"vocab\""},
		{TEKKEN(TEKKEN_3_OF_5, "[3]"), "an entry without a rank and token_bytes"},
		{TEKKEN(TEKKEN_3_OF_5, "[{\"rank\":0,\"token_bytes\":3}]"), "an entry without a rank and token_bytes"},
		{TEKKEN(TEKKEN_3_OF_5, "[{\"rank\":0.5,\"token_bytes\":\"IQ==\"}]"), "an entry without a rank and token_bytes"},
		{TEKKEN(TEKKEN_3_OF_5, "[{\"rank\":0,\"token_bytes\":\"IQ\"}]"), "an entry without a rank and token_bytes"},
		{TEKKEN(TEKKEN_3_OF_5, "[{\"rank\":0,\"token_bytes\":\"IQ==\"},{\"rank\":0,\"token_bytes\":\"IQ==\"}]"),
	     "two entries of one rank"},
		{"{\"config\":{" TEKKEN_3_OF_5 "},\"vocab\":[", "ends too early"},
		{"{\"config\":{" TEKKEN_3_OF_5 "},\"special_tokens\":[{\"rank\":3,\"token_str\":\"<s>\"}],\"vocab\":[]}",
	     "a special token without a rank and a name"},
		{"\n\005\n\001x\030\006\022\0", "not written <0xHH>"},
		{"\n\003\n\001x\n\010\n\177xxxxxx\022\0", "cannot be read"},
		{"\n\012\n\006<0xG0>\030\006\022\0", "not written <0xHH>"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diag d = {0};
		struct vocab v;
		size_t len = strlen(cases[i].bytes) + (cases[i].bytes[0] == '\n');
		bool good = load_bytes(cases[i].bytes, len, NULL, &d, &v);
		cr_expect_not(good, "case %zu is accepted", i);
		cr_expect(good || strstr(diag_text(&d), cases[i].says), "case %zu says:\n%s\nnot: %s", i, diag_text(&d),
		          cases[i].says);
		if (good) vocab_release(&v);
		diag_release(&d);
	}
}

Test(vocab, a_token_of_another_library_that_is_too_long_is_refused)
{
	const size_t n = 65540;  // bytes of a token: 4 letters for 3 of them
	char *list = malloc(n / 3 * 4 + 40), *at = list;
	at += sprintf(at, "IQ== 1\n");
	for (size_t i = 0; i < n / 3 * 4; i++) *at++ = 'A';
	at += sprintf(at, " 0\n");
	struct diag d = {0};
	struct vocab v;
	cr_expect_not(load_bytes(list, (size_t)(at - list), NULL, &d, &v));
	cr_expect(strstr(diag_text(&d), "VOCAB_MAX_TOKEN_LEN"), "%s", diag_text(&d));
	free(list), diag_release(&d);
}

Test(vocab, added_tokens_are_text_or_control_by_their_flag)
{
	struct diag d = {0};
	struct vocab v;
	cr_assert(
		parse("{\"added_tokens\":[{\"id\":2,\"content\":\"<s>\",\"special\":true},{\"id\":3,\"content\":\"<tool>\","
	          "\"special\":false},"
	          "{\"id\":4,\"content\":\"\\u0120\",\"special\":false},{\"id\":0,\"content\":\"a\",\"special\":false},"
	          "{\"id\":6,\"content\":\"<e>\",\"special\":false},{\"id\":7,\"content\":\"<b>\"}]," BYTE_LEVEL ","
	          "\"model\":{\"type\":\"BPE\",\"unk_token\":\"u\",\"vocab\":{\"a\":0,\"u\":1},\"merges\":[]}}",
	          "{\"eos_token\":{\"content\":\"<e>\"},\"bos_token\":\"<b>\",\"pad_token\":\"a\"}", NULL, &d, &v),
		"%s", diag_text(&d));
	cr_expect(v.kind[0] == TOKEN_TEXT && IS(&v, 0, "a"), "a pad token that is ordinary text stays text");
	cr_expect(v.kind[1] == TOKEN_CONTROL, "unk_token");
	cr_expect(v.kind[2] == TOKEN_CONTROL && IS(&v, 2, ""));
	cr_expect(v.kind[3] == TOKEN_TEXT && IS(&v, 3, "<tool>"));
	cr_expect(IS(&v, 4, "\xC4\xA0"), "an added token outside of the model's vocabulary is literal");
	cr_expect(v.kind[5] == TOKEN_UNUSED);
	cr_expect(v.kind[6] == TOKEN_CONTROL && v.n_eos == 1 && v.eos[0] == 6);
	cr_expect(v.kind[7] == TOKEN_CONTROL);
	cr_expect_eq(d.messages.n, 0);
	vocab_release(&v), diag_release(&d);
}

Test(vocab, eos_by_name_needed_or_none)
{
	const char *json =
		"{" BYTE_LEVEL
		"," MODEL("\"a\":0,\"b\":1") ",\"added_tokens\":[{\"id\":2,\"content\":\"<|eot|>\",\"special\":true}]}";
	const struct {
		const char *name;
		enum vocab_ends ends;
		uint32_t n, eos;
		const char *error;
	} cases[] = {
		{NULL, VOCAB_ENDS_ANY, 0, 0, NULL},
		{NULL, VOCAB_ENDS_NONE, 0, 0, NULL},
		{NULL, VOCAB_ENDS_NEEDED, 0, 0, "is known to end a text"},
		{"<|eot|>", VOCAB_ENDS_NEEDED, 1, 2, NULL},
		{"b", VOCAB_ENDS_NEEDED, 1, 1, NULL},
		{"<|eos|>", VOCAB_ENDS_NEEDED, 0, 0, "did you mean \"<|eot|>\"?"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vocab_options o = {
			.eos_names = &cases[i].name, .n_eos_names = cases[i].name != NULL, .ends = cases[i].ends};
		struct diag d = {0};
		struct vocab v;
		bool good = parse(json, NULL, &o, &d, &v);
		cr_expect_eq(good, !cases[i].error, "case %zu: %s", i, diag_text(&d));
		if (!good)
			cr_expect(cases[i].error && strstr(diag_text(&d), cases[i].error), "case %zu: %s", i, diag_text(&d));
		else
			cr_expect(v.n_eos == cases[i].n && (!v.n_eos || v.eos[0] == cases[i].eos), "case %zu", i);
		if (good) vocab_release(&v);
		diag_release(&d);
	}
}

Test(vocab, options_override_eos_and_size)
{
	struct diag d = {0};
	struct vocab v;
	const char *json = "{" BYTE_LEVEL "," MODEL("\"a\":0,\"b\":1,\"c\":2") "}", *config = "{\"eos_token\":\"b\"}";
	const uint32_t eos[] = {2, 0, 2};
	struct vocab_options o = {.eos = eos, .n_eos = 3, .vocab_size = 10};
	cr_assert(parse(json, config, &o, &d, &v));
	cr_expect(v.n_tokens == 10 && v.n_eos == 2 && v.eos[0] == 0 && v.eos[1] == 2 && v.n_ranks == 1);
	cr_expect(v.kind[1] == TOKEN_TEXT && v.kind[9] == TOKEN_UNUSED);
	vocab_release(&v);
	o = (struct vocab_options){.vocab_size = 2};
	cr_expect_not(parse(json, config, &o, &d, &v));
	diag_release(&d);
	const uint32_t outside[] = {3};
	o = (struct vocab_options){.eos = outside, .n_eos = 1};
	cr_expect_not(parse(json, config, &o, &d, &v));
	diag_release(&d);
}

Test(vocab, hash_depends_on_what_masks_depend_on)
{
	struct diag d = {0};
	struct vocab a, b, c, e;
	cr_assert(parse("{" BYTE_LEVEL "," MODEL("\"a\":0,\"b\":1") "}", NULL, NULL, &d, &a));
	cr_assert(parse("{\"version\":\"1.0\"," MODEL("\"b\":1,\"a\":0") "," BYTE_LEVEL "}", NULL, NULL, &d, &b));
	cr_assert(parse("{" BYTE_LEVEL "," MODEL("\"a\":1,\"b\":0") "}", NULL, NULL, &d, &c));
	cr_assert(parse("{" BYTE_LEVEL "," MODEL("\"a\":0,\"b\":1") "}", "{\"eos_token\":\"b\"}", NULL, &d, &e));
	cr_expect(!memcmp(a.hash, b.hash, sizeof a.hash), "the order of the file does not count");
	cr_expect(memcmp(a.hash, c.hash, sizeof a.hash) && memcmp(a.hash, e.hash, sizeof a.hash));
	vocab_release(&a), vocab_release(&b), vocab_release(&c), vocab_release(&e);
	diag_release(&d);
}

struct refusal {
	const char *json, *says;
};

static void expect_refusals(const struct refusal *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct diag d = {0};
		struct vocab v;
		bool good = parse(r[i].json, NULL, NULL, &d, &v);
		cr_expect_not(good, "accepted: %s", r[i].json);
		if (good)
			vocab_release(&v);
		else
			cr_expect(strstr(diag_text(&d), r[i].says), "%s\nsays:\n%s\nnot: %s", r[i].json, diag_text(&d), r[i].says);
		diag_release(&d);
	}
}

Test(vocab, broken_files_are_refused_with_the_reason)
{
	static const struct refusal r[] = {
		{"", "ends too early"},
		{"   ", "ends too early"},
		{"{\"model\": {", "ends too early"},
		{"{\n  \"model\": ], \"x\": 1}", "t/tokenizer.json:2:12: error: not valid JSON here"},
		{"{} x", "something follows"},
		{"[]", "expected a JSON object, found an array"},
		{"{\"a\\u0000\": 1}", "\\u0000"},
		{"{\"a\x01\": 1}", "control byte 0x01"},
		{"{\"a\": \"\xC3(\"}", "0xC3 is not valid UTF-8"},
		{"{\"a\": \"\xED\xA0\x80\"}", "0xED is not valid UTF-8"},
		{"{\"a\": \"\\ud800\"}", "not valid JSON"},
		{"{}", "\"model\" of \"t/tokenizer.json\" is nothing"},
		{"{\"model\": null}", "\"model\" of \"t/tokenizer.json\" is nothing"},
		{"{\"model\": 3}", "\"model\" of \"t/tokenizer.json\" is a number"},
		{"{\"model\": {\"type\": \"WordLevel\"}}", "type is \"WordLevel\""},
		{"{\"model\": {\"type\": \"Unigram\"}}", "has no \"decoder\""},
		{"{" PIECES ",\"model\": {\"type\": \"Unigram\", \"vocab\": {\"a\": 0}}}",
	     "expected an array of [token, score]"},
		{"{" PIECES ",\"model\": {\"type\": \"Unigram\", \"vocab\": [\"a\"]}}", "item 0 of"},
		{"{\"model\": {\"vocab\": {}}}", "(missing)"},
		{"{\"model\": {\"type\": \"BPE\"}}", "\"t/tokenizer.json\" has no \"decoder\""},
		{"{" BYTE_LEVEL ",\"model\": {\"type\": \"BPE\"}}", "\"model.vocab\" is nothing"},
		{"{" BYTE_LEVEL ",\"model\": {\"type\": \"BPE\", \"vocab\": [\"a\"]}}", "\"model.vocab\" is an array"},
		{"{" BYTE_LEVEL "," MODEL("") "}", "\"model.vocab\" is empty"},
		{"{" BYTE_LEVEL "," MODEL("\"a\":\"0\"") "}", "the id of token \"a\" is a string"},
		{"{" BYTE_LEVEL "," MODEL("\"a\":-1") "}", "the id of token \"a\" is -1"},
		{"{" BYTE_LEVEL "," MODEL("\"a\":1.5") "}", "the id of token \"a\" is 1.5"},
		{"{" BYTE_LEVEL "," MODEL("\"a\":4000000") "}", "VOCAB_MAX_TOKENS"},
		{"{" BYTE_LEVEL "," MODEL("\"a\":1e300") "}", "VOCAB_MAX_TOKENS"},
		{"{" BYTE_LEVEL "," MODEL("\"a\":0,\"b\":0") "}", "id 0 is given to two tokens, \"a\" and \"b\""},
		{"{" BYTE_LEVEL "," MODEL("\"a\":0,\"a\":1") "}", "token \"a\" has two ids"},
		{"{\"added_tokens\":[{\"id\":0,\"content\":\"x\"}]," BYTE_LEVEL "," MODEL("\"a\":0") "}",
	     "given to two tokens"},
		{"{\"added_tokens\":[{\"id\":1,\"content\":\"a\"}]," BYTE_LEVEL "," MODEL("\"a\":0") "}", "has two ids"},
		{"{\"added_tokens\":{}," BYTE_LEVEL "," MODEL("\"a\":0") "}", "\"added_tokens\" is an object"},
		{"{\"added_tokens\":[3]," BYTE_LEVEL "," MODEL("\"a\":0") "}", "no \"content\""},
		{"{\"added_tokens\":[{\"content\":\"x\"}]," BYTE_LEVEL "," MODEL("\"a\":0") "}",
	     "the id of token \"x\" is nothing"},
		{"{" BYTE_LEVEL ",\"model\":{\"type\":\"BPE\",\"end_of_word_suffix\":\"</w>\",\"vocab\":{\"a\":0}}}",
	     "end_of_word_suffix"},
		{"{" BYTE_LEVEL ",\"model\":{\"type\":\"BPE\",\"continuing_subword_prefix\":\"##\",\"vocab\":{\"a\":0}}}",
	     "\"##\""},
		{"{\"decoder\":{\"type\":\"WordPiece\"}," MODEL("\"a\":0") "}", "without a \"prefix\""},
		{"{\"decoder\":{\"type\":\"CTC\"}," MODEL("\"a\":0") "}", "\"CTC\" is not supported"},
		{"{\"decoder\":{\"type\":\"Sequence\"}," MODEL("\"a\":0") "}", "without \"decoders\""},
		{"{\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Fuse\"},{\"type\":\"ByteFallback\"}]}," MODEL(
			 "\"a\":0") "}",
	     "ByteFallback after Fuse"},
		{"{\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Fuse\"},{\"type\":\"Replace\",\"pattern\":{"
	     "\"String\":"
	     "\"\xE2\x96\x81s\"},\"content\":\"\"}]}," MODEL("\"a\":0") "}",
	     "replaces across tokens"},
		{"{\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"ByteFallback\"},{\"type\":\"Strip\","
	     "\"content\":\" \","
	     "\"start\":1,\"stop\":0}]}," MODEL("\"a\":0") "}",
	     "strips byte tokens in a row"},
		{"{\"decoder\":{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"a\"},\"content\":\"b\"}," MODEL("\"a\":0") "}",
	     "regular expression"},
	};
	expect_refusals(r, sizeof r / sizeof *r);
}

Test(vocab, deep_nesting_is_refused)
{
	size_t depth = 1000000;
	char *json = malloc(depth + 8);
	memcpy(json, "{\"a\":", 5);
	memset(json + 5, '[', depth);
	json[5 + depth] = 0;
	expect_refusals(&(struct refusal){json, "nested deeper than 1000"}, 1);
	free(json);
}

Test(vocab, a_token_longer_than_the_limit_is_refused)
{
	size_t n = 65537;
	char *json = malloc(n + 200), *p = json;
	p += sprintf(p, "{" BYTE_LEVEL ",\"model\":{\"type\":\"BPE\",\"merges\":[],\"vocab\":{\"");
	memset(p, 'a', n), p += n;
	sprintf(p, "\":0}}}");
	expect_refusals(&(struct refusal){json, "VOCAB_MAX_TOKEN_LEN"}, 1);
	free(json);
}

Test(vocab, replacements_that_explode_are_refused)
{
	char json[6000], *p = json;
	p += sprintf(p, "{\"decoder\":{\"type\":\"Sequence\",\"decoders\":[");
	for (int i = 0; i < 12; i++) {
		p += sprintf(p, "%s{\"type\":\"Replace\",\"pattern\":{\"String\":\"a\"},\"content\":\"", i ? "," : "");
		memset(p, 'a', 100), p += 100;
		p += sprintf(p, "\"}");
	}
	sprintf(p, "]}," MODEL("\"a\":0") "}");
	expect_refusals(&(struct refusal){json, "VOCAB_MAX_TOKEN_LEN"}, 1);
}

Test(vocab, every_cut_of_a_file_is_refused_or_read)
{
	const char *json = "{\"added_tokens\":[{\"id\":1,\"content\":\"<s>\",\"special\":true}]," PIECES
					   "," MODEL("\"a\":0,\"\\u00e9\":2") "}";
	for (size_t n = 0; n < strlen(json); n++) {
		struct diag d = {0};
		struct vocab v;
		char *cut = strndup(json, n);  // of the exact size, for the address sanitizer
		cr_expect_not(parse(cut, NULL, NULL, &d, &v), "%zu bytes", n);
		free(cut), diag_release(&d);
	}
}

Test(vocab, missing_files_are_an_error)
{
	struct diag d = {0};
	struct vocab v;
	cr_expect_not(vocab_load("/nowhere/tokenizer.json", NULL, &d, &v));
	cr_expect(strstr(diag_text(&d), "cannot read \"/nowhere/tokenizer.json\": No such file"));
	cr_expect_not(vocab_load("/", NULL, &d, &v));
	diag_release(&d);
}

Test(vocab, the_default_tokenizer_is_built_in)
{
	struct diag d = {0};
	struct vocab v;
	cr_assert(vocab_load_default(NULL, &d, &v), "%s", diag_text(&d));
	cr_expect_null(vocab_check(&v));
	cr_expect(v.n_tokens == 4096 && v.n_eos == 1 && v.eos[0] == 4095 && v.n_ranks == 4095);
	cr_expect_str_eq(v.name, "default");
	for (uint32_t b = 0; b < 256; b++) cr_expect(is(&v, b, (const char[]){(char)b}, 1), "token %u is byte %u", b, b);
	vocab_release(&v), diag_release(&d);
}

// --- compiled vocabularies ------------------------------------------------------------------------------------------

static char *temporary(char path[32])
{
	strcpy(path, "/tmp/gcdc-test-XXXXXX");
	int fd = mkstemp(path);
	cr_assert(fd >= 0);
	close(fd);
	return path;
}

static uint8_t *written(const struct vocab *v, size_t *len)
{
	struct diag d = {0};
	char path[32];
	cr_assert(vocab_write(v, temporary(path), &d), "%s", diag_text(&d));
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(1 << 22);
	*len = fread(data, 1, 1 << 22, f);
	fclose(f);
	unlink(path);
	diag_release(&d);
	return data;
}

static void small(struct vocab *v)
{
	const uint8_t *bytes[] = {(const uint8_t *)"ab",     (const uint8_t *)"a",  NULL,
	                          (const uint8_t *)"\xff\0", (const uint8_t *)"ab", NULL};
	const uint32_t len[] = {2, 1, 0, 2, 2, 0}, eos[] = {5};
	const uint8_t kind[] = {TOKEN_TEXT, TOKEN_TEXT, TOKEN_UNUSED, TOKEN_TEXT, TOKEN_TEXT, TOKEN_CONTROL};
	vocab_build(&(struct vocab_tokens){6, bytes, len, kind, 1, eos}, v);
	v->name = "small";
}

Test(vocab, compiled_vocabularies_come_back_the_same)
{
	struct vocab v, back;
	struct diag d = {0};
	char path[32];
	small(&v);
	cr_assert(vocab_write(&v, temporary(path), &d));
	cr_assert(vocab_load(path, NULL, &d, &back), "%s", diag_text(&d));
	cr_expect(back.mapping && !vocab_check(&back) && !memcmp(v.hash, back.hash, sizeof v.hash));
	cr_expect_str_eq(back.name, "small");
	cr_expect(back.n_tokens == 6 && back.n_ranks == 4 && back.n_eos == 1 && back.eos[0] == 5 &&
	          back.kind[2] == TOKEN_UNUSED);
	cr_expect(!memcmp(back.token_of, v.token_of, 4 * sizeof *v.token_of) && back.trie.n_nodes == v.trie.n_nodes);
	size_t a_len, b_len;
	uint8_t *a = written(&v, &a_len), *b = written(&back, &b_len);
	cr_expect(a_len == b_len && !memcmp(a, b, a_len), "two writes give the same bytes");
	vocab_release(&back);
	struct vocab_options o = {.vocab_size = 8, .eos = (const uint32_t[]){0}, .n_eos = 1};
	cr_assert(vocab_load(path, &o, &d, &back), "%s", diag_text(&d));
	cr_expect(back.n_tokens == 8 && back.eos[0] == 0 && back.n_ranks == 3 && back.kind[5] == TOKEN_CONTROL &&
	          !vocab_check(&back));
	vocab_release(&back), vocab_release(&v), diag_release(&d);
	free(a), free(b);
	unlink(path);
}

Test(vocab, every_flipped_bit_of_a_compiled_vocabulary_is_noticed)
{
	struct vocab v, back;
	size_t len;
	small(&v);
	uint8_t *data = written(&v, &len);
	for (size_t i = 0; i < len * 8; i++) {
		struct diag d = {0};
		data[i / 8] ^= (uint8_t)(1u << i % 8);
		bool good = vocab_open_memory(data, len, &d, &back);
		cr_expect_not(good, "bit %zu of byte %zu", i % 8, i / 8);
		if (good)
			vocab_release(&back);
		else
			cr_expect(d.n_errors == 1);
		data[i / 8] ^= (uint8_t)(1u << i % 8);
		diag_release(&d);
	}
	for (size_t n = 0; n < len; n++) {
		struct diag d = {0};
		cr_expect_not(vocab_open_memory(data, n, &d, &back), "cut to %zu", n);
		diag_release(&d);
	}
	free(data), vocab_release(&v);
}

// Checksums that are right over contents that are wrong: what a hostile writer makes. Never a crash.
#define XXH_INLINE_ALL
#include <xxhash.h>
static void seal(uint8_t *data)
{
	struct vocab_file_header h;
	memcpy(&h, data, sizeof h);
	for (uint32_t i = 0; i < h.n_sections; i++) {
		struct artifact_section s;
		uint8_t *at = data + sizeof h + i * sizeof s;
		memcpy(&s, at, sizeof s);
		s.check = XXH3_64bits(data + s.offset, s.size);
		memcpy(at, &s, sizeof s);
	}
	h.table_check = 0;
	memcpy(data, &h, sizeof h);
	XXH3_state_t *state = XXH3_createState();
	XXH3_64bits_reset(state);
	XXH3_64bits_update(state, data, sizeof h + h.n_sections * sizeof(struct artifact_section));
	h.table_check = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	memcpy(data, &h, sizeof h);
}

Test(vocab, sealed_nonsense_in_a_compiled_vocabulary_is_refused)
{
	struct vocab v, back;
	size_t len;
	small(&v);
	uint8_t *data = written(&v, &len), *copy = malloc(len);
	struct artifact_section last;
	memcpy(&last, data + sizeof(struct vocab_file_header) + 9 * sizeof last, sizeof last);
	struct vocab_file_header header;
	memcpy(&header, data, sizeof header);
	size_t first = sizeof header + header.n_sections * sizeof last, end = last.offset + last.size;
	uint32_t accepted = 0;
	for (size_t i = first; i < end; i++) {
		for (uint32_t k = 0; k < 4; k++) {
			struct diag d = {0};
			memcpy(copy, data, len);
			copy[i] = (uint8_t)(k == 0 ? copy[i] + 1 : k == 1 ? copy[i] - 1 : k == 2 ? 0xFF : copy[i] ^ 0x80);
			if (copy[i] == data[i]) continue;
			seal(copy);
			if (vocab_open_memory(copy, len, &d, &back)) {
				accepted++;
				cr_expect_null(vocab_check(&back));
				cr_expect(memcmp(copy, data, len) && !memcmp(back.hash, v.hash, sizeof v.hash), "byte %zu", i);
				vocab_release(&back);
			}
			diag_release(&d);
		}
	}
	cr_expect_leq(accepted, 4 * 5, "only the five bytes of the name may differ");
	free(data), free(copy), vocab_release(&v);
}

Test(vocab, writing_to_a_bad_place_is_an_error)
{
	struct vocab v;
	struct diag d = {0};
	small(&v);
	cr_expect_not(vocab_write(&v, "/nowhere/x.gcdv", &d));
	cr_expect_eq(d.n_errors, 1);
	vocab_release(&v), diag_release(&d);
}
