"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" mask "$work/a.gcdc"
"$gcdc" mask "$work/a.gcdc" --prefix '[abc'
"$gcdc" mask "$work/a.gcdc" --prefix '[]'
"$gcdc" mask "$work/a.gcdc" --prefix-escaped '[1,\n\x5b' --all
printf '[[' >"$work/prefix"
"$gcdc" mask "$work/a.gcdc" --prefix-file "$work/prefix" --json --limit 3
