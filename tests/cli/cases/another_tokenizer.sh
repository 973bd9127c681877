# An artifact given another tokenizer than it was compiled for: both names, as far as the artifact tells one, both hashes.
exec 2>&1
try() {
	"$gcdc" "$@" 2>&1 | sed -E 's/[0-9a-f]{32}/H/g'
	echo "exit ${PIPESTATUS[0]}"
}
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/eos.gcdc" --eos 5 --vocab-size 300
"$gcdc" compile $data/list.lark --quiet -o "$work/default.gcdc"
printf '[abc]' >"$work/text"
try check "$work/a.gcdc" "$work/text" --tokenizer $data/tiny
try check "$work/eos.gcdc" "$work/text" --tokenizer $data/tiny
try check "$work/a.gcdc" "$work/text" --tokenizer $data/spaced
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet --provenance -o "$work/named.gcdc"
try check "$work/named.gcdc" "$work/text" --tokenizer $data/spaced
try check "$work/default.gcdc" "$work/text" --tokenizer $data/tiny
try bench "$work/a.gcdc" "$work/text" --tokenizer $data/spaced
try why "$work/a.gcdc" --prefix '[' --token a --tokenizer $data/spaced
"$gcdc" vocab $data/tiny --quiet -o "$work/tiny.gcdv"
try check "$work/a.gcdc" "$work/text" --tokenizer "$work/tiny.gcdv"
# The two hashes are not the same one twice.
"$gcdc" check "$work/a.gcdc" "$work/text" --tokenizer $data/spaced 2>&1 | grep -oE '[0-9a-f]{32}' | sort -u | wc -l
