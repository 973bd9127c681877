"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" compile grammars/json/json.lark --quiet -o "$work/json.gcdc"
echo '[a]' >"$work/good"
printf '[a,\xff]' >"$work/bad"
printf '[a,' >"$work/unfinished"
"$gcdc" check "$work/a.gcdc" --greedy --json --quiet "$work/good" "$work/bad" "$work/unfinished" | tee "$work/out.json"
"$gcdc" check "$work/json.gcdc" --quiet "$work/out.json" && echo is JSON
