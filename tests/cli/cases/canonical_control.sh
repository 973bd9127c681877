# Control tokens in canonical modes: the tokenizer cuts a text at them. Behind "a" no "b" may come, as merges join the two; behind "a", <c>
# it may. Two blanks are one token where a text or a control token ends them; before a letter they are not. A token is refused that is no
# cut whatever stands beside it.
cat >"$work/tokenizer.json" <<'END'
{"added_tokens": [
  {"id": 6, "content": "<e>", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false},
  {"id": 7, "content": "<c>", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false},
  {"id": 8, "content": "<l>", "special": true, "single_word": false, "lstrip": true, "rstrip": false, "normalized": false},
  {"id": 9, "content": "<t>", "special": false, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false},
  {"id": 10, "content": "<d>", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false},
  {"id": 11, "content": "b<d", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false}],
 "normalizer": null,
 "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
  {"type": "Split", "pattern": {"Regex": "\\s?[a-z]+|\\s+(?!\\S)|\\s+"}, "behavior": "Isolated", "invert": false},
  {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false}]},
 "decoder": {"type": "ByteLevel"},
 "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3, "ĠĠ": 4, "Ġa": 5}, "merges": ["a b", "Ġ Ġ", "Ġ a"]}}
END
compile() { "$gcdc" compile "$work/$1.lark" --tokenizer "$work/tokenizer.json" --eos 6 --canonical=$2 --quiet -o "$work/$1.gcdc"; }
printf 'start: (TEXT | <c> | <t>)*\nTEXT: /[ab ]+/\n' >"$work/g.lark"
for mode in soft hard; do
	compile g $mode || exit
	for prefix in 'a' 'a\[007]' '  ' '\[009]'; do "$gcdc" mask "$work/g.gcdc" --prefix-escaped "$prefix" --all; done
done
"$gcdc" why "$work/g.gcdc" --prefix-escaped 'a' --token b
# Two characters and the control token: behind a blank neither a blank nor "a" is the second one, as merges join them.
printf 'start: /[ab ]/ /[ab ]/ <c>\n' >"$work/g.lark"
compile g hard && "$gcdc" mask "$work/g.gcdc" --prefix ' ' --all
"$gcdc" close "$work/g.gcdc" --prefix ''
for token in '<l>' '<d>'; do
	printf 'start: "a" %s\n' "$token" >"$work/g.lark"
	compile g soft
done 2>&1
# Two tokens of one blank: the tokenizer makes them where a letter follows, and one of both where a control token does: that is not taken.
printf 'start: (TEXT | <c>)*\nTEXT: /[ab ]+/\n' >"$work/g.lark"
for mode in soft hard; do
	compile g $mode || exit
	printf ':token 3\n:token 3\n:token 7\n:list\n' | "$gcdc" step "$work/g.gcdc" | sed -n '/:list/,/^$/p'
done
