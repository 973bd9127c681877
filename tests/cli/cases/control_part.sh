# One control token in a grammar and in a part of it: behind it go on the texts of both.
cat >"$work/tokenizer.json" <<'END'
{"added_tokens": [
  {"id": 3, "content": "<e>", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false},
  {"id": 4, "content": "<c>", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false}],
 "normalizer": null,
 "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false},
 "decoder": {"type": "ByteLevel"},
 "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "d": 2}, "merges": []}}
END
cat >"$work/g.lark" <<'END'
start: <c> "a" | part
part: %lark { start: <[4]> "b" | inner
    inner: %ebnf { root ::= Token(4) "d" }
    %ignore "a" }
END
"$gcdc" compile "$work/g.lark" --tokenizer "$work/tokenizer.json" --eos 3 --quiet -o "$work/g.gcdc" || exit
"$gcdc" mask "$work/g.gcdc" --prefix-escaped '\[004]' --all
# A token of several sets is read as each of them: in one grammar, in a part and around it, in two parts, inside brackets and outside. A higher
# priority wins, and so does a terminal that has more than control tokens and stands first.
sets() {
	echo "$1"
	printf '%b\n' "$1" >"$work/s.lark"
	"$gcdc" compile "$work/s.lark" --tokenizer "$work/sets.json" --eos '<e>' --quiet -o "$work/s.gcdc" || return
	for prefix in "${@:2}"; do "$gcdc" mask "$work/s.gcdc" --prefix-escaped "$prefix" --all | tail -n +2; done
}
cat >"$work/sets.json" <<'END'
{"added_tokens": [{"id": 4, "content": "<e>", "special": true}, {"id": 5, "content": "<5>", "special": true},
  {"id": 6, "content": "<6>", "special": true}, {"id": 7, "content": "<7>", "special": true}, {"id": 8, "content": "<8>", "special": true}],
 "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}, "decoder": {"type": "ByteLevel"},
 "model": {"type": "BPE", "vocab": {"x": 0, "y": 1, "(": 2, ")": 3, "Ċ": 9, "Ġ": 10, "Ģ": 11, "ħ": 12, "Ĩ": 13, "ĩ": 14}, "merges": []}}
END
sets 'start: <[5-7]> "x" | <[6-8]> "y"' '\[005]' '\[006]' '\[007]' '\[008]'
sets 'start: <[5-7]> "x" | part\npart: %ebnf { root ::= Token(6, 8) "y" }' '\[006]' '\[008]'
sets 'start: a "x" | b "y"\na: %lark { start: <[5,6]> }\nb: %lark { start: <[6]> | <[6,7]> ")" }' '\[006]' '\[007]'
sets 'start: A "x" | B "y" | "(" (A "x" | B "y") ")" A "x"\nA: <[5,6]>\nB: <[6,7]>\n%ignore <8> inside "(" ")"' '\[006]' '(' '(\[006]' '(\[006]y\[008])' '(\[006]y)\[006]'
sets 'start: A "x" | B "y"\nA.2: <[5,6]>\nB: <[6,7]>' '\[006]' '\[007]'
sets 'start: A "x" | B "y"\nA: <[5,6]>\nB.2: <[6,7]>' '\[006]' '\[005]'
sets 'start: A "x" NL IN B NL DE | B "y" NL\nA: <[5,6]>\nB: <[6,7]>\nNL: /(\\n *)+/\n%declare IN DE\n%indent newline=NL indent=IN dedent=DE' '\[006]x\n \[006]'
sets 'start: A "x" | B "y" | C ")"\nA: <5> | "("\nB: <[5,6]>\nC: <[6,7]>' '\[005]' '\[006]'
sets 'start: B "y" | A "x" | C ")"\nB: <[5,6]>\nA: <5> | "("\nC: <[5,7]>' '\[005]'
# A vocabulary that spells no byte of a control token's id, and columns.
cat >"$work/tiny.json" <<'END'
{"added_tokens": [{"id": 5, "content": "<e>", "special": true}, {"id": 6, "content": "<c>", "special": true}, {"id": 7, "content": "<d>", "special": false}],
 "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}, "decoder": {"type": "ByteLevel"},
 "model": {"type": "BPE", "vocab": {"x": 0, ":": 1, "Ċ": 2, "Ġ": 3, "ĊĠ": 4, "<": 8, "d": 9, ">": 10}, "merges": [["Ċ", "Ġ"]]}}
END
with() {
	echo "$2"
	printf '%b\n' "$2" >"$work/t.lark"
	"$gcdc" compile "$work/t.lark" --tokenizer "$work/$1" --eos '<e>' --quiet -o "$work/t.gcdc" || return
	for prefix in "${@:3}"; do "$gcdc" mask "$work/t.gcdc" --prefix-escaped "$prefix" --all | tail -n +2; done
}
with tiny.json 'start: s+\ns: ("x" | <c>) <d>? NL | <c> ":" <d> NL IN s+ DE\nNL: /(\\n *)+/\n%declare IN DE\n%indent newline=NL indent=IN dedent=DE' \
	'' '\[006]' '\[006]:\[007]\n' '\[006]:\[007]\n x\n' '\[006]:\[007]\n \[006]\[007]\n'
# An added token that is not special: text where no rule names it, control where one does, and both where a rule says so.
with tiny.json 'start: T "x"\nT: /[<d>]+/' '' '<'
with tiny.json 'start: T <d> "x"\nT: /[<d>]+/' '<d>' '<d>\[007]'
with tiny.json 'start: t <d> "x"\nt: (/[<d>]/ | <d>)+' '<' '<\[007]'
