# Why: JSON. What the parser wanted, unfinished lexemes, the end, tokens over several lexemes, prefixes that are wrong.
"$gcdc" compile grammars/json/json.lark --quiet -o "$work/a.gcdc"
why() {
	printf '\n$ why'
	printf ' %q' "$@"
	echo
	"$gcdc" why "$work/a.gcdc" "$@"
}
why --prefix '{"a"' --token 1
why --prefix '{"a"' --token ':'
why --prefix '{"a": 1' --token ']'
why --prefix '[1, ' --token ']'
why --prefix '12.' --token x
why --prefix '-' --eos
why --prefix '[1' --eos
why --prefix '[1]' --eos
why --prefix '"abc' --eos
why --prefix '"abc' --token-escaped '\n'
why --prefix '[tr' --token ue]
why --prefix '[tr' --token u,
why --prefix '[1}' --token ']'
why --token hello
why --prefix '{' --id 4095
why --prefix '[[[[[[[[[[[[[[[[[[[[[[1' --token '}'
why --prefix '01' --token 1
why --prefix '[' --token 'nul]' --tokenizer tokenizers/default/tokenizer.json
