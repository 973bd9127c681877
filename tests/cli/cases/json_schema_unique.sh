# Items of uniqueItems arrays, compared at run time: verdicts, masks, what is refused with them.
cd "$work" || exit
echo '{"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": true}' >strings.schema.json
$gcdc compile strings.schema.json -o strings.gcdc 2>&1 | grep -c "budgets are off"
for text in '["a", "b"]' '["a", "\u0061"]' '["x", "\ud83d\ude00", "😀"]' '["ab", "a", "abc"]' '[]' '["", "a"]'; do
	printf '%s' "$text" >text
	echo "$text: $($gcdc check strings.gcdc text -q 2>/dev/null || $gcdc check strings.gcdc text 2>/dev/null)"
done
for prefix in '["ab","a' '["ab","ab'; do
	printf '%s' "$prefix\"]" >text
	$gcdc check strings.gcdc text -q
	echo "$prefix\"]: $?"
done
for token in '"' '"]' 'c"'; do
	$gcdc why strings.gcdc --prefix '["ab","cd","ab' --token "$token"
done
$gcdc why strings.gcdc --prefix '["\u0061b","ab' --token '"' --json | grep -c '"equal"'
$gcdc sample strings.gcdc --budget 9
$gcdc compile strings.schema.json -o canonical.gcdc --canonical soft
for items in '{"type": "string", "maxLength": 9}' '{"type": "string", "pattern": "x$"}' '{"type": "number"}' '{}'; do
	echo "{\"type\": \"array\", \"items\": $items, \"uniqueItems\": true}" >no.schema.json
	$gcdc compile no.schema.json -o no.gcdc -q 2>/dev/null
	echo "$items: $?"
done
$gcdc compile strings.schema.json -o free.gcdc -q --allow-unenforced uniqueItems --canonical soft
printf '["a","a"]' >text
$gcdc check free.gcdc text -q
