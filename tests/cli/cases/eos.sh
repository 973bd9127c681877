# What ends a text: by the tokenizer's files, by id, by name, or nothing, which must be asked for.
exec 2>&1
try() {
	"$gcdc" "$@"
	echo "exit $?"
}
mkdir "$work/alone"
cp $data/tiny/tokenizer.json "$work/alone/tokenizer.json"
compile() {
	rm -f "$work/a.gcdc"
	try compile $data/list.lark --quiet -o "$work/a.gcdc" "$@"
	[ ! -e "$work/a.gcdc" ] || "$gcdc" inspect "$work/a.gcdc" eos
}
compile --tokenizer "$work/alone"
compile --tokenizer "$work/alone" --eos 268
compile --tokenizer "$work/alone" --eos '<|end|>' --eos 5
compile --tokenizer "$work/alone" --eos '<|ends|>'
compile --tokenizer "$work/alone" --eos '</s>'
compile --tokenizer "$work/alone" --no-eos
compile --tokenizer $data/tiny --no-eos
compile --tokenizer $data/tiny --no-eos --eos 5
try vocab "$work/alone" --quiet -o "$work/v.gcdv"
try vocab "$work/alone" --quiet -o "$work/v.gcdv" --eos '<|end|>'
compile --tokenizer "$work/v.gcdv"
compile --tokenizer "$work/v.gcdv" --eos '<|end|>'
compile --tokenizer "$work/v.gcdv" --eos '['
# The names are part of what an artifact is made from.
compile --tokenizer "$work/alone" --eos '<|end|>' --provenance
try verify "$work/a.gcdc" --against $data/list.lark "$work/alone"
compile --tokenizer "$work/alone" --no-eos --provenance
try verify "$work/a.gcdc" --against $data/list.lark "$work/alone"
# In a manifest.
cp $data/list.lark "$work"
cd "$work"
manifest() { printf 'grammars: [list.lark]\ntokenizers:\n  - {file: alone, name: t, %s}\n' "$1" >gcdc.yaml; }
built() {
	manifest "$1"
	rm -rf build
	"$gcdc" build --quiet >said
	echo "exit $?"
	grep -E 'error|note' said
	[ ! -e build/list-t.gcdc ] || "$gcdc" inspect build/list-t.gcdc eos
}
built 'vocab-size: 300'
built 'eos: "<|end|>"'
built 'eos: ["<|end|>", 5]'
built 'no-eos: true'
built 'no-eos: true, eos: 5'
built 'eos: "<|eot|>"'
# Nothing may follow a whole text, and no token says so: it is complete all the same.
printf 'start: "[" "]"\n' >"$work/pair.lark"
printf '[]' >"$work/pair.txt"
try compile "$work/pair.lark" --quiet -o "$work/a.gcdc" --tokenizer "$work/alone" --no-eos
try mask "$work/a.gcdc" --prefix '[]'
try check "$work/a.gcdc" "$work/pair.txt" --greedy -q
try sample "$work/a.gcdc" --count 1
