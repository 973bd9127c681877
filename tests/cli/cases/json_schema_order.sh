# --order auto: any order where few keys must be there; else those that must be come in the schema's order, or all named.
cd "$work" || exit
check() { # texts: the verdict of each
	for text; do
		printf '%s' "$text" | $gcdc check -q keys.gcdc -
		echo "$? $text"
	done
}
compile() { $gcdc compile keys.json -o keys.gcdc -q --order auto 2>&1 | grep warning; }
keys() { # N of them, from a on: as a list, as properties, as entries, as entries backwards
	letters=$(echo a b c d e f g h i j k l | cut -d ' ' -f "1-$1")
	list= properties= entries= backwards=
	for key in $letters; do
		list="$list${list:+, }\"$key\"" properties="$properties${properties:+, }\"$key\": {\"type\": \"integer\"}"
		entries="$entries${entries:+, }\"$key\": 1" backwards="\"$key\": 1${backwards:+, }$backwards"
	done
}
for n in 6 11; do
	keys $n
	echo "{\"properties\": {$properties, \"x\": {\"type\": \"string\"}}, \"required\": [$list]}" >keys.json
	compile
	check "{$entries}" "{$backwards}" "{\"x\": \"\", $entries, \"other\": null}" "{$entries, \"x\": 1}" "{${entries%,*}}" "{$entries, \"a\": 1}"
done
# A union of objects: the key that tells them apart comes last.
union=
for i in $(seq 1 14); do
	union="$union${union:+,}{\"properties\": {\"data\": {\"properties\": {\"p$i\": {\"type\": \"integer\"}}, \"required\": [\"p$i\"]}, \"kind\": {\"const\": \"k$i\"}},
 \"required\": [\"kind\", \"data\"]}"
done
echo "{\"type\": \"object\", \"properties\": {\"kind\": {}, \"data\": {}}, \"anyOf\": [$union]}" >keys.json
compile
check '{"kind": "k3", "data": {"p3": 1}}' '{"kind": "k3", "data": {"p3": ""}}' '{"kind": "k3", "data": {"p4": 1}}' '{"data": {"p3": 1}, "kind": "k3"}'
$gcdc compile keys.json -o keys.gcdc -q --order any 2>&1 | head -1
