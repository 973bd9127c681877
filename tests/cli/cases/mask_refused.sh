"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" mask "$work/a.gcdc" --prefix '[abc, [1 2], 3'
