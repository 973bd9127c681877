"$gcdc" compile $data/list.lark --tokenizer $data/tiny -o "$work/a.gcdc" 2>&1 | sed -E 's/[0-9]+ bytes/N bytes/; s/[0-9.]+ s$/T s/; s/[0-9]+ token sets/N token sets/'
"$gcdc" compile $data/list.lark --tokenizer $data/tiny/tokenizer.json -o "$work/b.gcdc" --quiet
cmp "$work/a.gcdc" "$work/b.gcdc" && echo same bytes
ls "$work"
