# The old artifact stays when anything goes wrong. Of others' messages only the place is compared.
try() {
	"$gcdc" compile "$@" -o "$work/out.gcdc" >"$work/said" 2>&1
	echo "exit $?: $(grep -oE '^[^ ]+:[0-9]+:[0-9]+: error:|^error:|^gcdc compile: error: .*' "$work/said" | head -1 | sed -E 's/:[0-9]+:[0-9]+:/:L:C:/')"
	[ "$(cat "$work/out.gcdc")" = before ] || echo "the output was touched"
}
echo before >"$work/out.gcdc"
try "$work/missing.lark"
printf 'start: "a" (\n' >"$work/syntax.lark"
try "$work/syntax.lark"
printf 'start: A b\nA: "a"\n' >"$work/undefined.lark"
try "$work/undefined.lark"
printf 'start: A\nA: /a(/\n' >"$work/regex.lark"
try "$work/regex.lark"
printf 'start: "a" start\n' >"$work/empty.lark"
try "$work/empty.lark"
printf 'start: s\ns: "i" s | "i" s "e" s | "x"\n' >"$work/conflict.lark"
try "$work/conflict.lark" --deterministic
try $data/list.lark --start nothing
try $data/list.lark --tokenizer "$work/missing.json"
mkdir "$work/folder"
try $data/list.lark --tokenizer "$work/folder"
echo '{"model": {' >"$work/broken.json"
try $data/list.lark --tokenizer "$work/broken.json"
try $data/list.lark --tokenizer $data/tiny --eos 100000
try $data/list.lark --tokenizer $data/tiny --vocab-size 5
# The language is empty, and conflicts stay: NAME takes every "x" behind it. Without the proof, too.
printf 'start: s\ns: s s | s NAME "x" | NAME "x"\nNAME: /[a-z]+/\n' >"$work/empty9.lark"
mkdir "$work/a"
echo '{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}, "added_tokens": [{"id": 1, "content": "<eos>", "special": true}],
"decoder": {"type": "ByteLevel"}, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}}' >"$work/a/tokenizer.json"
try "$work/empty9.lark" --tokenizer "$work/a" --eos 1
try "$work/empty9.lark" --tokenizer "$work/a" --eos 1 --no-prove
grep -c "no text is in this language" "$work/said"
ls "$work"
