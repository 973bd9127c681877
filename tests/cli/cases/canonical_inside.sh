# A token that ends inside a character, in whose place several characters may come as the lexer sees it, and one for each stack. Behind "x"
# only "é" may come, whose bytes the tokenizer merges before "p" and the first of them: there "p\xc3" is a dead end.
cat >"$work/g.lark" <<'END'
start: "x" e "é" "z" | "y" e "è" "z"
e: "p"
END
cat >"$work/tokenizer.json" <<'END'
{"added_tokens": [], "normalizer": null,
 "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false},
 "decoder": {"type": "ByteLevel"},
 "model": {"type": "BPE", "vocab": {"x": 0, "y": 1, "p": 2, "z": 3, "Ã": 4, "©": 5, "¨": 6, "Ã©": 7, "pÃ": 8, "<end>": 9},
  "merges": ["Ã ©", "p Ã"]}}
END
"$gcdc" compile "$work/g.lark" --tokenizer "$work/tokenizer.json" --eos 9 --canonical=hard --quiet -o "$work/a.gcdc" || exit
for prefix in x y; do "$gcdc" mask "$work/a.gcdc" --prefix $prefix --all; done
