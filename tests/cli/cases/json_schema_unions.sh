# Many alternatives whose arrays have to be told apart before the key that decides comes; many that only one key tells apart.
cd "$work" || exit
alternatives= shapes=
for i in $(seq 1 30); do
	alternatives="$alternatives${alternatives:+,}{\"properties\": {\"name\": {\"const\": \"n$i\"}, \"versions\": {\"type\": \"array\", \"items\": {\"enum\":
 [\"v$i\", \"all\"]}}}, \"required\": [\"name\"], \"additionalProperties\": false}"
	shapes="$shapes${shapes:+,}{\"properties\": {\"kind\": {\"const\": \"k$i\"}, \"a\": {\"type\": \"string\"}, \"b$((i % 7))\": {\"type\": \"integer\"}, \"c$((i % 5))\":
 {\"type\": \"boolean\"}, \"d$i\": {}}, \"required\": [\"kind\", \"c$((i % 5))\"], \"additionalProperties\": false}"
done
for word in anyOf oneOf; do
	echo "{\"$word\": [$alternatives]}" >platforms.json
	$gcdc compile platforms.json -o platforms.gcdc -q --order any || exit
	for text in '{"versions": ["v3", "all"], "name": "n3"}' '{"versions": ["v3"], "name": "n4"}' '{"versions": ["all"], "name": "n30"}' '{"versions": []}'; do
		echo "$text" | $gcdc check -q platforms.gcdc -
		echo "$? $text"
	done
	echo "{\"$word\": [$shapes]}" >shapes.json
	$gcdc compile shapes.json -o shapes.gcdc -q || exit
	for text in '{"kind": "k9", "b2": 1, "c4": true, "d9": 0}' '{"kind": "k9", "c4": true, "d8": 0}' '{"kind": "k9", "b3": 1, "c4": true}' '{"kind": "k9"}'; do
		echo "$text" | $gcdc check -q shapes.gcdc -
		echo "$? $text"
	done
done

# More than are told apart at one value, with the key that tells them behind that value: it comes first, and that is said.
many=
for i in $(seq 1 70); do
	many="$many${many:+,}{\"properties\": {\"value\": {\"properties\": {\"b$i\": {\"type\": \"integer\"}, \"all\": {}}, \"additionalProperties\": false}, \"kind\":
 {\"const\": \"k$i\"}}, \"required\": [\"kind\"], \"additionalProperties\": false}"
done
for order in schema auto; do
	echo "{\"anyOf\": [$many]}" >many.json
	$gcdc compile many.json -o many.gcdc -q --order $order 2>&1 | grep warning | cut -c1-180
	for text in '{"kind": "k69", "value": {"b69": 2, "all": 1}}' '{"kind": "k9", "value": {"b8": 1}}' '{"kind": "k70"}' '{"value": {"b69": 2}, "kind": "k69"}'; do
		echo "$text" | $gcdc check -q many.gcdc -
		echo "$? $text"
	done
done
