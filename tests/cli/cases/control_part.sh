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
