"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" check "$work/a.gcdc" --greedy "$work/missing"
