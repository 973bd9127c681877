"$gcdc" compile grammars/json/json.lark --quiet -o "$work/json.gcdc"
"$gcdc" sample "$work/json.gcdc" --count 100 --seed 5 --max-tokens 40 -o "$work/texts" --extension .json
"$gcdc" check "$work/json.gcdc" "$work"/texts/*.json
