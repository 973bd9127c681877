"$gcdc" compile $data/list.lark --tokenizer $data/tiny -o "$work/a.gcdc" --quiet --stats | sed -E 's/ +[0-9.]+( ms)?$/ N\1/'
"$gcdc" compile $data/list.lark --tokenizer $data/tiny -o "$work/a.gcdc" --quiet --json >"$work/stats.json"
"$gcdc" compile grammars/json/json.lark --quiet -o "$work/json.gcdc"
"$gcdc" check "$work/json.gcdc" --quiet "$work/stats.json" && echo is JSON
