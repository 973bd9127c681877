# Without its tokenizer: an artifact with canonical tables knows how the tokenizer cuts. " [[" is " " "[[", the longest tokens are " [" "[".
for tokenizer in tiny spaced; do
	"$gcdc" compile "$data/list.lark" --tokenizer "$data/$tokenizer" --canonical=hard --quiet -o "$work/$tokenizer.gcdc" || exit
	printf '[1, [[12], [abc]]]' >"$work/text"
	"$gcdc" check "$work/$tokenizer.gcdc" "$work/text"
	"$gcdc" check "$work/$tokenizer.gcdc" --tokenizer "$data/$tokenizer" "$work/text"
	"$gcdc" check "$work/$tokenizer.gcdc" --greedy "$work/text"
done
printf '[1, [[12],, [abc]]]' >"$work/text"
"$gcdc" check "$work/tiny.gcdc" "$work/text"
printf '[1\xff]' >"$work/text"
"$gcdc" check "$work/tiny.gcdc" "$work/text"
# gcdc build checks texts so, too.
cp "$data/list.lark" "$work"
printf '[1, [[12], [abc]]]' >"$work/text"
cat >"$work/gcdc.yaml" <<END
grammars:
  - file: list.lark
    checks: {accept-files: text}
tokenizers:
  - {name: tiny, file: $PWD/$data/tiny, options: {canonical: hard}}
END
"$gcdc" build "$work/gcdc.yaml" >"$work/log" 2>&1 || cat "$work/log"
ls "$work/build"
