# Tokens that are half a character: valid JSON all the same, their bytes beside.
printf 'start: "é"\n' >"$work/g.lark"
"$gcdc" compile "$work/g.lark" --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" mask "$work/a.gcdc" --json | tee "$work/out.json"
"$gcdc" compile grammars/json/json.lark --quiet -o "$work/json.gcdc"
"$gcdc" check "$work/json.gcdc" --quiet "$work/out.json" && echo is JSON
"$gcdc" mask "$work/a.gcdc" --prefix-escaped '\xC3' --json
