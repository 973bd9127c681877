// A tokenizer.json of ten tokens, for canonical tables: a pre-tokenizer, whole pieces, an added token that is text.
#ifndef GCDC_TESTS_TOY_TOKENIZER_H
#define GCDC_TESTS_TOY_TOKENIZER_H

static const char toy_tokenizer[] =
	"{\"added_tokens\":[{\"id\":9,\"content\":\"acb\",\"special\":false,\"single_word\":false,\"lstrip\":false,"
	"\"rstrip\":false,\"normalized\":false}],"
	"\"normalizer\":null,\"decoder\":{\"type\":\"ByteLevel\"},\"pre_tokenizer\":{\"type\":\"Sequence\","
	"\"pretokenizers\":["
	"{\"type\":\"Split\",\"pattern\":{\"Regex\":\"[ab]+|c\"},\"behavior\":\"Isolated\",\"invert\":false},"
	"{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":false,\"use_regex\":false}]},"
	"\"model\":{\"type\":\"BPE\",\"ignore_merges\":true,\"vocab\":{\"a\":1,\"b\":2,\"c\":3,\"ab\":4,\"aab\":5,\"ba\":6,"
	"\"bab\":7,\"abb\":8},"
	"\"merges\":[\"a b\",\"b a\",\"a ab\",\"b ab\"]}}";
static const char *const toy_tokens[] = {"", "a", "b", "c", "ab", "aab", "ba", "bab", "abb", "acb"};

#endif
