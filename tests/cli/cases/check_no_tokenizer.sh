# Not compiled for the built-in tokenizer: the greedy cut, and a note.
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
printf '[abc]' >"$work/good.txt"
"$gcdc" check "$work/a.gcdc" "$work/good.txt"
