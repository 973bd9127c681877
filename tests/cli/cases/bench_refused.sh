# A text that is refused does not count; nothing accepted is no measurement.
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
echo '[abc]' >"$work/good"
echo '[abc;' >"$work/bad"
"$gcdc" bench "$work/a.gcdc" --tokenizer $data/tiny "$work/bad" "$work/good" "$work/bad" --json | grep -E '"(tokens|texts|texts_refused)"'
echo "exit ${PIPESTATUS[0]}"
"$gcdc" bench "$work/a.gcdc" --tokenizer $data/tiny "$work/bad"
