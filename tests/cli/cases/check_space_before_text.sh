# A SentencePiece tokenizer puts a space before the text, which is not in the text: [ and not " [".
cat >"$work/strict.lark" <<'END'
start: "[" "ab" "]"
END
"$gcdc" compile "$work/strict.lark" --tokenizer $data/spaced --quiet -o "$work/a.gcdc"
printf '[ab]' >"$work/text"
printf ' [ab]' >"$work/spaced"
"$gcdc" check "$work/a.gcdc" --tokenizer $data/spaced "$work/text"
"$gcdc" check "$work/a.gcdc" --tokenizer $data/spaced "$work/spaced"
