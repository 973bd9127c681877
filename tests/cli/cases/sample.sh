# Samples are the same each time, are accepted, and end.
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" compile grammars/json/json.lark --quiet -o "$work/json.gcdc"
sample() { "$gcdc" sample "$work/a.gcdc" --count 50 --max-tokens 30 "$@"; }
sample --seed 1 --json >"$work/one.json"
sample --seed 1 --json >"$work/again.json"
sample --seed 2 --json >"$work/two.json"
cmp "$work/one.json" "$work/again.json" && echo the same
cmp -s "$work/one.json" "$work/two.json" || echo another seed, other texts
"$gcdc" check "$work/json.gcdc" --quiet "$work/one.json" && echo is JSON
echo "$(grep -c '"complete": true' "$work/one.json") complete"
sample --out "$work/texts"
ls "$work/texts" | head -2
"$gcdc" check "$work/a.gcdc" --greedy "$work"/texts/*
