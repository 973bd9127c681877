try() {
	"$gcdc" mask "$@" 2>&1 | sed -E 's/says [0-9]+/says N/; s/[0-9a-f]{32}/H/g'
	echo "exit ${PIPESTATUS[0]}"
}
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/bare.gcdc" --no-vocab
"$gcdc" vocab $data/spaced -o "$work/other.gcdv" --quiet
try "$work/missing.gcdc"
try "$work"
echo hello >"$work/text.gcdc"
try "$work/text.gcdc"
: >"$work/empty.gcdc"
try "$work/empty.gcdc"
head -c 1000 "$work/a.gcdc" >"$work/short.gcdc"
try "$work/short.gcdc"
try "$work/bare.gcdc"
try "$work/bare.gcdc" --vocab "$work/missing.gcdv"
try "$work/bare.gcdc" --vocab "$work/other.gcdv"
