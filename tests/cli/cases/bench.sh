"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" compile grammars/json/json.lark --quiet -o "$work/json.gcdc"
echo '[abc,[12,[ab,[123]]],ab]' >"$work/text"
"$gcdc" bench "$work/a.gcdc" --tokenizer $data/tiny "$work/text" "$work/text" --json >"$work/out.json"
"$gcdc" check "$work/json.gcdc" --quiet "$work/out.json" && echo is JSON
sed -E 's/"clock": "[^"]*"/"clock": C/; s/: [0-9.]+/: N/g' "$work/out.json"
grep -E '"(tokens|texts|bytes|vocab_size|mask_bytes)"' "$work/out.json"
"$gcdc" bench "$work/a.gcdc" --tokenizer $data/tiny "$work/text" --replays 1 | sed -E 's/ +[0-9.]+/ N/g; s/clock.*/clock C/'
