"$gcdc" compile $data/list.lark --tokenizer $data/tiny -q --provenance --level 2 -o "$work/list.gcdc"
"$gcdc" verify "$work/list.gcdc" | sed -E 's/[0-9a-f]{64}/SUM/; s/gcdc [0-9.]+ with zstd [0-9.]+/gcdc V with zstd V/; s/[0-9]+ bytes/N bytes/'
"$gcdc" verify "$work/list.gcdc" --against $data/list.lark $data/tiny
"$gcdc" verify "$work/list.gcdc" --against $data/list.lark $data/spaced 2>&1 | sed -E 's/[0-9a-f]{64}/SUM/'
echo "exit ${PIPESTATUS[0]}"
"$gcdc" verify "$work/list.gcdc" $data/list.lark 2>&1
echo "exit $?"
"$gcdc" verify "$work/list.gcdc" --against 2>&1
echo "exit $?"
printf 'start: "["\n' >"$work/list.lark"
"$gcdc" verify "$work/list.gcdc" --against "$work/list.lark" $data/tiny 2>&1 | sed -E 's/[0-9a-f]{64}/SUM/'
echo "exit ${PIPESTATUS[0]}"
head -c 1000 "$work/list.gcdc" >"$work/cut.gcdc"
"$gcdc" verify "$work/cut.gcdc" 2>&1 | sed "s/says [0-9]*/says N/"
echo "exit ${PIPESTATUS[0]}"
"$gcdc" compile $data/list.lark --tokenizer $data/tiny -q -o "$work/plain.gcdc"
"$gcdc" verify "$work/plain.gcdc" | sed -E 's/[0-9]+ bytes/N bytes/'
"$gcdc" verify "$work/plain.gcdc" --provenance 2>&1
echo "exit $?"
# Grammars inside the grammar, and tokens by name: those of the tokenizer that is given.
printf 'start: "a" %%json {"type": "string"} %%lark { start: NAME "in" NAME\nNAME: /[a-z]+/\n%%ignore " "\n%%keywords NAME\n}\n' >"$work/parts.lark"
"$gcdc" compile "$work/parts.lark" -q -o "$work/parts.gcdc"
"$gcdc" verify "$work/parts.gcdc" --against "$work/parts.lark" | sed "s|$work|WORK|g"
sed 's/%keywords NAME//' "$work/parts.lark" >"$work/other.lark"
"$gcdc" verify "$work/parts.gcdc" --against "$work/other.lark" 2>&1
echo "exit $?"
cat >"$work/tokenizer.json" <<'END'
{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []},
 "added_tokens": [{"id": 2, "content": "<one>", "special": true}, {"id": 3, "content": "<two>", "special": true}, {"id": 4, "content": "<end>", "special": true}],
 "decoder": {"type": "ByteLevel"}, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}}
END
printf 'start: "a" <one>\n' >"$work/named.lark"
"$gcdc" compile "$work/named.lark" --tokenizer "$work/tokenizer.json" --eos '<end>' -q -o "$work/named.gcdc" --provenance
"$gcdc" verify "$work/named.gcdc" --against "$work/named.lark" "$work/tokenizer.json"
printf 'start: "a" <two>\n' >"$work/named.lark"
"$gcdc" verify "$work/named.gcdc" --against "$work/named.lark" "$work/tokenizer.json" 2>&1 | grep -c 'another grammar'
