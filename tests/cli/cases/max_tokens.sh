# At most so many tokens touch a text: in Lark, EBNF and structural tags.
cd "$work" || exit
cat >tokenizer.json <<'END'
{"model": {"type": "BPE", "vocab": {"<": 0, ">": 1, "/": 2, "a": 3, "b": 4, "ab": 5, "aba": 6, "a<": 7, "</": 8, "Ã": 9, "©": 10, "y": 11, ">y": 12},
 "merges": [["a", "b"], ["ab", "a"], ["<", "/"]]},
 "added_tokens": [{"id": 13, "content": "<end>", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false}],
 "decoder": {"type": "ByteLevel"}, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}}
END
printf 'start: "<" text "y"\ntext[stop="</>", max_tokens=2]: /(?s:.)*/\n' >lark.lark
printf 'root ::= "<" text "</>y"\ntext[max_tokens=2] ::= [^<]*\n' >ebnf.ebnf
printf '{"format": {"type": "tag", "begin": "<", "content": {"type": "any_text", "max_tokens": 2}, "end": ["</>y"]}}' >tag.structural_tag.json
for g in lark.lark ebnf.ebnf tag.structural_tag.json; do
	"$gcdc" compile "$g" --tokenizer tokenizer.json --eos '<end>' -q -o "${g%%.*}.gcdc" || exit
	for text in '<</>y' '<aba</>y' '<abaaba</>y' '<abaabaab</>y' '<abaé</>y' '<é</>y' '<ab</</>y'; do
		printf '%s' "$text" >text
		"$gcdc" check "${g%%.*}.gcdc" text -q --tokenizer tokenizer.json
		echo "${g%%.*} $text: $?"
	done
done
# The text given by bytes is one token. Of two bytes of a character that are two tokens, the first needs another one.
for prefix in '<' '<a' '<a<'; do "$gcdc" mask lark.gcdc --prefix "$prefix"; done
"$gcdc" close lark.gcdc --prefix '<a'
# What does not go together with it.
refused() {
	printf '%b' "$2" >"$1"
	"$gcdc" compile "$1" -q -o x.gcdc ${3:-} 2>&1 | grep -m1 'error:' | sed 's/^.*error/error/'
}
refused a.lark 'start: t\nt[max_tokens=5]: /.+/\n' --canonical=hard
refused a.lark 'start: t "b"\nt[max_tokens=5]: /a+(?=b)/\n'
refused a.lark 'start: t A\nt[max_tokens=5]: /a+/\nA: /b\\b/\n'
refused a.lark 'start: t\nt[max_tokens=50000]: /(?s:.)+/\n'
refused a.lark 'start: (t NL)+\nt[max_tokens=5]: /a+/\n%declare IN DE\nNL: /(\\n *)+/\n%indent newline=NL indent=IN dedent=DE\n'
refused a.structural_tag.json '{"format": {"type": "sequence", "elements": [{"type": "any_tokens", "max_tokens": 2}, {"type": "const_string", "value": "ab"}]}}'
refused a.structural_tag.json '{"format": {"type": "sequence", "elements": [{"type": "json_schema", "json_schema": true}, {"type": "exclude_token", "exclude_tokens": []}]}}'
refused a.structural_tag.json '{"format": {"type": "sequence", "elements": [{"type": "any_text", "max_tokens": 2}, {"type": "const_string", "value": "ab"}]}}'
refused a.structural_tag.json '{"format": {"type": "any_text", "max_chars": 100000}}'
refused a.structural_tag.json '{"format": {"type": "tag", "begin": "<a>", "content": {"type": "any_text", "max_chars": 100000}, "end": ["</a>", "</b>"]}}'
# Without the tokenizer the cut is another one, which is said.
printf '<aba</>y' >text
"$gcdc" check lark.gcdc text 2>&1
# Whole tokens: "ab" and then one that is not "a", so none that holds the end of "ab"; two at most, special ones among them.
printf '{"format": {"type": "sequence", "elements": [{"type": "const_string", "value": "ab"}, {"type": "exclude_token", "exclude_tokens": ["a", 5]}]}}' >one.structural_tag.json
printf '{"format": {"type": "any_tokens", "exclude_tokens": ["b"], "max_tokens": 2}}' >two.structural_tag.json
walk() { printf "$2" | "$gcdc" step "$1.gcdc" | grep '  allowed'; }
for g in one two; do "$gcdc" compile $g.structural_tag.json --tokenizer tokenizer.json --eos '<end>' -q -o $g.gcdc || exit; done
walk one ':token 3\n:token 4\n:token 6\n'
walk two ':token 9\n:token 4\n:token 7\n'
"$gcdc" mask one.gcdc --prefix ab --all
