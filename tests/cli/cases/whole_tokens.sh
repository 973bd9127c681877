# Structural tags of whole tokens: exclude_token, any_tokens with max_tokens or excluded text.
cd "$work" || exit
cat >tokenizer.json <<'TOKENS'
{"model": {"type": "BPE", "vocab": {"<": 0, ">": 1, "/": 2, "a": 3, "b": 4, "ab": 5, "aba": 6, "a<": 7, "</": 8, "Ã": 9, "©": 10, "y": 11, ">y": 12, "Ã©": 18, "Âª": 20},
 "merges": [["a", "b"], ["ab", "a"], ["<", "/"], ["Ã", "©"]]},
 "added_tokens": [{"id": 13, "content": "<end>", "special": true}, {"id": 14, "content": "<one>", "special": true},
                  {"id": 15, "content": "<two>", "special": true}, {"id": 16, "content": "<added>", "special": false},
                  {"id": 17, "content": "é", "special": false}, {"id": 19, "content": "ª", "special": true}],
 "decoder": {"type": "ByteLevel"}, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}}
TOKENS
compile() {
	echo "{\"format\": $1}" >x.structural_tag.json
	"$gcdc" compile x.structural_tag.json --tokenizer tokenizer.json --eos "${eos:-<end>}" -q -o x.gcdc "${@:2}" 2>&1 | grep -m1 'error' | sed 's/^x.structural_tag.json//'
	return "${PIPESTATUS[0]}"
}
# Which tokens may come first, and behind each token of a list.
walk() {
	compile "$1" || return
	echo "$1"
	printf '  at first:'
	"$gcdc" mask x.gcdc --all | sed -n 's/^ *\([0-9]\+\) .*/ \1/p' | tr -d '\n'
	echo
	for token in "${@:2}"; do
		printf ':token %s\n' "$token" | "$gcdc" step x.gcdc | grep -o 'refused.*\|allowed .*' | sed "s/^/  $token: /"
	done
}
one() { printf '{"type": "exclude_token", "exclude_tokens": [%s]}' "$1"; }
# A token is left out, and not one that it begins or that begins it; a special one, by its name.
walk "$(one '')" 3
walk "$(one '5')" 3 6
walk "$(one '"ab", "a", 8, "<one>"')"
walk "$(one '"<added>"')"
# A token that is no text is left out, and not one that spells its name: 20, or 18 where 17 ends the text.
walk "$(one 19)"
eos=é walk "$(one 17)"
# Each is one token: no more of them, and none that ends inside of one.
walk "{\"type\": \"repeat\", \"content\": $(one 3), \"min\": 2, \"max\": 2}" 5 14
walk "{\"type\": \"any_tokens\", \"max_tokens\": 1}" 9 15 13
walk "{\"type\": \"any_tokens\", \"exclude_tokens\": [4]}" 9 15 3
walk "{\"type\": \"any_tokens\", \"exclude_tokens\": [\"b\"]}" 5
walk "{\"type\": \"sequence\", \"elements\": [{\"type\": \"any_tokens\", \"max_tokens\": 0}, {\"type\": \"token\", \"token\": 14}]}"
# What stands before one ends where a token does: a string, a regex, the last of a sequence.
walk "{\"type\": \"sequence\", \"elements\": [{\"type\": \"const_string\", \"value\": \"a\"}, $(one 3)]}" 3
walk "{\"type\": \"sequence\", \"elements\": [{\"type\": \"regex\", \"pattern\": \"[ab]\"}, $(one 3)]}" 4
walk "{\"type\": \"sequence\", \"elements\": [{\"type\": \"sequence\", \"elements\": [{\"type\": \"token\", \"token\": 14}, {\"type\": \"const_string\", \"value\": \"a\"}]}, {\"type\": \"optional\", \"content\": $(one 3)}]}" 14
walk "{\"type\": \"tag\", \"begin\": \"<\", \"content\": {\"type\": \"any_tokens\", \"max_tokens\": 1}, \"end\": {\"type\": \"token\", \"token\": 15}}" 0
walk "{\"type\": \"sequence\", \"elements\": [{\"type\": \"const_string\", \"value\": \"a\"}, {\"type\": \"sequence\", \"elements\": [$(one 3)]}]}" 3
# One token that is text, by number and by name; several; between text; as a tag's begin and end.
walk '{"type": "token", "token": 5}' 5
walk '{"type": "token", "token": "ab"}' 3
walk '{"type": "sequence", "elements": [{"type": "const_string", "value": "a"}, {"type": "token", "token": 5}, {"type": "const_string", "value": "/"}]}' 3
walk '{"type": "tag", "begin": {"type": "token", "token": 5}, "content": {"type": "any_tokens"}, "end": {"type": "token", "token": 8}}' 5 3 8
walk '{"type": "token_triggered_tags", "trigger_tokens": [5], "tags": [{"type": "tag", "begin": {"type": "token", "token": 5}, "content": {"type": "const_string", "value": "/"}, "end": {"type": "token", "token": 14}}], "exclude_tokens": [3]}' 4 5 2 14
# EBNF's macros of the same.
ebnf() { walk "{\"type\": \"grammar\", \"grammar\": \"$1\"}" "${@:2}"; }
ebnf 'root ::= Token(5, 14, 16) \"a\"' 16
ebnf 'root ::= \"a\" \"b\"? Token(8) \">\"' 3 8
ebnf 'root ::= ExcludeToken(5, 14){1,2}' 3 15
ebnf 'root ::= TokenTagDispatch((5, r), excludes=(4,))\nr ::= Token(3)' 15 5 3
ebnf 'root ::= TokenTagDispatch((14, r), excludes=(4,))\nr ::= Token(3)' 6 14
# What stands before one and is no pattern ends where a token does, where a token follows: <a/y>, behind which "y" is text in the middle.
nested='root ::= \"a\" (\"<\" root \">\" | \"/\") \"y\"'
walk "{\"type\": \"sequence\", \"elements\": [{\"type\": \"grammar\", \"grammar\": \"$nested\"}, $(one 3)]}" 3
printf ':token %s\n' 3 0 3 2 11 12 4 | "$gcdc" step x.gcdc | grep -o 'refused.*\|allowed .*'
ebnf 'root ::= TokenTagDispatch((5, r), excludes=(4,))\nr ::= \"a\" Token(8, 7) s | \"b\"\ns ::= \"(\" | \"<\" s? \">\"' 5 3
echo '{"format": {"type": "sequence", "elements": [{"type": "json_schema", "json_schema": {"type": "object", "properties": {"a": {"type": "object"}}}}, {"type": "token", "token": "A"}]}}' >s.structural_tag.json
"$gcdc" compile s.structural_tag.json -q -o s.gcdc && for text in '{"a": {}' '{"a": {}}' '{"a": {}}A'; do "$gcdc" mask s.gcdc --prefix "$text" | sed 1d; done
# Sets of tokens that share some are read as the tokens that the same of them have.
ebnf 'root ::= Token(3) TokenTagDispatch((5, r), excludes=(8,)) Token(4)\nr ::= Token(6)' 3 4 5
echo 'root ::= Token(5) | "/" ExcludeToken(3)' >x.ebnf
"$gcdc" compile x.ebnf --tokenizer tokenizer.json --eos '<end>' -q -o x.gcdc && printf ':token 2\n' | "$gcdc" step x.gcdc | grep -o 'allowed .*'
# What is refused.
for format in "$(one 17)" '{"type": "any_tokens", "max_tokens": 65536}' "$(one 99)" "$(one '"no such"')" \
	'{"type": "token", "token": 13}' '{"type": "grammar", "grammar": "root ::= Token(99)"}' '{"type": "grammar", "grammar": "root ::= ExcludeToken(99)"}' \
	'{"type": "grammar", "grammar": "root ::= Token(3) | \"ab\""}' \
	"{\"type\": \"sequence\", \"elements\": [{\"type\": \"star\", \"content\": {\"type\": \"const_string\", \"value\": \"a\"}}, $(one 3)]}" \
	'{"type": "grammar", "grammar": "root ::= r \"/\"\nr[max_chars=8] ::= (Token(8) | [ab])*"}' \
	'{"type": "grammar", "grammar": "root ::= r \"/\"\nr[max_chars=65536] ::= [ab]*"}' \
	'{"type": "grammar", "grammar": "root ::= r Token(8)\nr[max_tokens=2] ::= [ab]+"}' \
	'{"type": "grammar", "grammar": "root ::= r (Token(8) | \">\")\nr ::= \"a\" r \"b\" | \"a\""}' \
	"{\"type\": \"or\", \"elements\": [{\"type\": \"const_string\", \"value\": \"b\"}, $(one 3)]}" \
	"{\"type\": \"sequence\", \"elements\": [{\"type\": \"star\", \"content\": {\"type\": \"const_string\", \"value\": \"a\"}}, {\"type\": \"token\", \"token\": 14}, $(one 3)]}"; do
	compile "$format" && echo "compiled: $format"
done
compile "$(one 3)" --canonical=hard
