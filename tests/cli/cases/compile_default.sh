"$gcdc" compile grammars/json/json.lark -o "$work/json.gcdc" --quiet
"$gcdc" check "$work/json.gcdc" grammars/json/accept/*.json
"$gcdc" check "$work/json.gcdc" --expect reject grammars/json/reject/*.json
"$gcdc" mask "$work/json.gcdc" --prefix '{"a": tr' --json --limit 0
