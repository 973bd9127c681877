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
closed='{"properties": {"a": {"type": "string"}}, "additionalProperties": false, "type": "object"}'
asked='{"properties": {"a": {"type": "string"}, "b": {"type": "null"}}, "required": ["a"], "additionalProperties": false, "type": "object"}'
for items in '{"type": "string", "maxLength": 9}' '{"type": "string", "pattern": "x$"}' '{"type": "number"}' '{"type": "integer"}' '{}' \
	'{"type": "object"}' "$closed" "$closed --order any" "$asked --order any" '{"maxItems": 2}' '{} --space indented'; do
	options=${items##*\}}
	echo "{\"type\": \"array\", \"items\": ${items%"$options"}, \"uniqueItems\": true}" >no.schema.json
	$gcdc compile no.schema.json -o no.gcdc -q $options 2>/dev/null
	echo "$items: $?"
done
# Arrays whose items are listed at each place are few values themselves, also where these are two or one.
colours='"$defs": {"colour": {"enum": ["red", "blue", "green"]}}'
for items in '{"enum": [[1, 2], [1, 3]]}' '{"enum": [{"a": 1}]}' \
	'{"type": "array", "prefixItems": [{"$ref": "#/$defs/colour"}, {"type": "boolean"}], "minItems": 2, "maxItems": 2}' \
	'{"type": "array", "prefixItems": [{"type": "boolean"}], "items": false}' \
	'{"type": "array", "prefixItems": [{"$ref": "#/$defs/colour"}, {"$ref": "#/$defs/colour"}, {"type": "boolean"}], "minItems": 3, "maxItems": 3}' \
	'{"type": "array", "prefixItems": [{"type": "boolean"}, {"type": "boolean"}], "minItems": 2}'; do
	echo "{$colours, \"type\": \"array\", \"items\": $items, \"uniqueItems\": true}" >tuples.schema.json
	$gcdc compile tuples.schema.json -o tuples.gcdc -q 2>/dev/null || { echo "$items: refused" && continue; }
	for text in '[[1,2],[1,3]]' '[[1,2],[1,3],[1,2]]' '[{"a":1}]' '[{"a":1},{"a":1}]' '[["red",true],["blue",true],["red",false]]' '[["red",true],["red",true]]' \
		'[["red"]]' '[[true],[false],[]]' '[[true],[true]]' '[[],[]]'; do
		printf '%s' "$text" | $gcdc check -q tuples.gcdc - 2>/dev/null && echo "$items: $text"
	done
done
# Items of which few values are left: masks without the tokens behind which all of them are used.
few() {
	$gcdc compile few.schema.json -o few.gcdc -q || return
	for prefix in "$@"; do
		echo "$prefix: $($gcdc mask few.gcdc --prefix "$prefix" | grep -e allowed -e forced | tr '\n' ' ')"
	done
}
echo '{"type": "array", "uniqueItems": true, "items": {"enum": ["alpha", "alto", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9"]}}' >few.schema.json
few '["alpha","al' '["b1","alto","alpha","' '["b1","b2","b3","b4","b5","b6","b7","b8","b9","alto","alpha"'
echo '{"type": "array", "uniqueItems": true, "items": {"type": "object", "properties": {"name": {"type": "string"}, "kind": {"enum": ["x", "y"]}},
	"required": ["name"], "additionalProperties": false}}' >few.schema.json
few '[{"name":"a"},{"name":"a","kind":"x"},{"name":"a","kind":"' '[{"name":"a","kind":"x"},{"name":"a","kind":"y"},{"name":"a"'
echo '{"type": "array", "uniqueItems": true, "items": {"type": "string", "pattern": "^[ab]+\\.(c|h)$"}}' >few.schema.json
few '["a.c","a.' '["a.c","a.h","a' '["a.c","b.'
# Items that have other keys do not begin like the open one: those of a key less, of a key before.
echo '{"type": "array", "uniqueItems": true, "items": {"type": "object", "properties": {"a": {"enum": ["p"]}, "b": {"enum": ["x"]}, "c": {"enum": ["y", "z"]}},
	"required": ["a"], "additionalProperties": false}}' >few.schema.json
few '[{"a":"p","c":"y"},{"a":"p","c":"z"},{"a":"p","b":"x"},{"a":"p","b":"' '[{"a":"p","b":"x","c":"y"},{"a":"p","b":"x","c":"z"},{"a":"p","b":"x"},{"a":"p"'
echo '{"type": "array", "uniqueItems": true, "items": {"type": "object", "properties": {"a": {"enum": ["p"]}, "b": {"enum": ["x", "xy"]}},
	"required": ["b"], "additionalProperties": false}}' >few.schema.json
few '[{"a":"p","b":"x"},{"b":"' '[{"a":"p","b":"x"},{"b":"x"},{"b":"' '[{"a":"p","b":"x"},{"b":"x"},{"b":"xy"},{"a":"p","b":"xy"'
# Keys that depend on each other, before one that has always more values: behind that one value is left.
echo '{"type": "array", "uniqueItems": true, "items": {"type": "object", "properties": {"a": {"enum": [1, 2]}, "b": {"type": "integer"}, "p": {"type": "object"}},
	"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "additionalProperties": false}}' >few.schema.json
few '[{"a":1},{"a":1' '[{"a":1},{"a":1,"p":{}},{"a":1,"p":{}' '[{"b":1},{"b":1,"'
# Numbers: written in one way, so that the text so far says how many are left.
echo '{"type": "array", "uniqueItems": true, "items": {"type": "integer"}}' >few.schema.json
few '[' '[0,' '[12,1' '[12,12' '[-1,-'
for text in '[1,10,-1,0]' '[1,1]' '[1.0]' '[-0]' '[1e2]' '[7, 71, 7]'; do
	printf '%s' "$text" >text
	echo "$text: $($gcdc check few.gcdc text -q 2>/dev/null || $gcdc check few.gcdc text 2>/dev/null)"
done
echo '{"type": "array", "uniqueItems": true, "items": {"type": "number", "multipleOf": 0.5, "minimum": -1, "maximum": 10}}' >few.schema.json
few '[10,1' '[0.5,-0.5,0,' '[0.5,-0.5,0,1,1.5,-1,'
echo '{"type": "array", "uniqueItems": true, "items": {"type": "object", "properties": {"a": {}, "n": {"type": "integer", "minimum": 0, "maximum": 11}},
	"additionalProperties": false}}' >few.schema.json
few '[{"a":[],"n":1},{"a":[],"n":1' '[{"a":[],"n":1},{"a":[],"n":10},{"a":[],"n":11},{"a":[],"n":'
# Strings of a length: of the last character, what is written of it says how many are left.
echo '{"type": "array", "uniqueItems": true, "items": {"type": "string", "minLength": 1, "maxLength": 2}}' >few.schema.json
begins() {   # behind strings with these last characters, may the text go on so?
	python3 -c 'import sys
last = [chr(c) for c in range(int(sys.argv[1], 16), int(sys.argv[2], 16))]
sys.stdout.buffer.write(("[" + "".join(f"\"a{c}\"," for c in last) + "\"a").encode() + sys.argv[3].encode().decode("unicode_escape").encode("latin-1"))' "$@" >prefix
	$gcdc mask few.gcdc --prefix-file prefix >found 2>/dev/null
	echo "$*: $?"
}
few '["ab","a' '["a","ab","ac","a'
begins 61 63 b
begins 61 63 c
begins e0 ef '\\u00e'
begins e0 f0 '\\u00e'
begins e0 f0 '\\u00E'
begins e0 f0 '\\u00'
begins c0 ff '\xc3'
begins c0 100 '\xc3'
begins 1f400 1f7ff '\\ud83d'
begins 1f400 1f800 '\\ud83d'
begins 1f400 1f800 '\\ud83'
begins 1f600 1f60f '\\uD83D\\ude0'
begins 1f600 1f610 '\\uD83D\\ude0'
begins 1f600 1f610 '\xf0\x9f\x98'
begins 1f600 1f640 '\xf0\x9f\x98'
# A list of strings that all have such a length adds none.
echo '{"type": "array", "uniqueItems": true, "items": {"anyOf": [{"enum": ["(", "x"]}, {"type": "string", "maxLength": 1}]}}' >few.schema.json
few '["(","x","' '["","x","'
begins 61 63 'b'
# With --order auto only items that are counted have keys in the schema's order.
echo '{"type": "object", "properties": {"one": {"$ref": "#/$defs/o"}, "all": {"type": "array", "uniqueItems": true, "items": {"$ref": "#/$defs/o"}}},
	"$defs": {"o": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"enum": [1, 2]}}, "additionalProperties": false}}}' >few.schema.json
$gcdc compile few.schema.json -o few.gcdc -q --order auto
for text in '{"all":[{"a":"x","b":1}],"one":{"b":1,"a":"x"}}' '{"all":[{"b":1,"a":"x"}]}' '{"all":[{"a":"x"},{"a":"\u0078"}]}'; do
	printf '%s' "$text" >text
	$gcdc check few.gcdc text -q
	echo "$text: $?"
done
$gcdc mask few.gcdc --prefix '{"all":[{"b":1},{"b":' | grep allowed
$gcdc mask few.gcdc --prefix '{"all":[{"b":1},{"b":2},{"' | grep allowed
# There a key with ever more values comes last, where the others could not be counted. In the schema's order that is refused.
echo '{"type": "array", "uniqueItems": true, "items": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "array", "maxItems": 1},
	"c": {"type": "integer"}, "d": {"type": "array", "maxItems": 1}}, "required": ["b"], "additionalProperties": false}}' >few.schema.json
$gcdc compile few.schema.json -o few.gcdc -q 2>/dev/null
echo "in order: $?"
$gcdc compile few.schema.json -o few.gcdc -q --order auto
for text in '[{"a":"x","b":[],"d":[1],"c":1},{"a":"x","b":[],"d":[1],"c":2}]' '[{"b":[],"c":1,"d":[]}]' '[{"b":[]},{"b":[1]}]' '[{"b":[1]},{"b":[1.0]}]'; do
	printf '%s' "$text" >text
	$gcdc check few.gcdc text -q
	echo "$text: $?"
done
$gcdc mask few.gcdc --prefix '[{"b":[],"c":0},{"b":[],"c":' | grep allowed
# Objects in arrays in objects: that there is such a value is seen through some levels.
echo '{"type": "array", "uniqueItems": true, "items": {"$ref": "#/$defs/a"}, "$defs": {
	"a": {"type": "object", "properties": {"x": {"type": "array", "items": {"$ref": "#/$defs/b"}}}, "required": ["x"], "additionalProperties": false},
	"b": {"type": "object", "properties": {"x": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/c"}}}, "required": ["x"], "additionalProperties": false},
	"c": {"type": "object", "properties": {"x": {"$ref": "#/$defs/d"}}, "required": ["x"], "additionalProperties": false},
	"d": {"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"], "additionalProperties": false}}}' >few.schema.json
few '[{"x":[]},{"x":[{"x":[{"x":{"x":true}}]}' '[{"x":[]},{"x":['
# Values are equal however they are written.
echo '{"type": "array", "uniqueItems": true}' >any.schema.json
$gcdc compile any.schema.json -o any.gcdc -q
for text in '[1, 1.0]' '[100, 10e1]' '[-0.0, 0E7]' '[1, true, "1", [1], {"1": 1}]' '[{"a": 1, "b": 2}, {"b": 2, "a": 1.0}]' '[{"a": 1, "a": 2}, {"a": 2}]' \
	'[{"a": 1}, {"a": 1, "b": 1}]' '[[1, 2], [2, 1], [1.0, 2]]' '[null, null]' '[1e99999999999999999999, 10e99999999999999999998]' \
	'[1e-1000000000000000000000, 1000e-1000000000000000000002]' '[[[]], [[], []], [[]]]'; do
	printf '%s' "$text" >text
	$gcdc check any.gcdc text -q
	echo "$text: $?"
done
# All alternatives say it; or one does, and is asked of all.
verdicts() {
	for text in '[1, 2, 1]' '[1, 1, "a"]' '["a", "a"]' '["a", "b"]' '[1, 2, 3]' '[1, 2]' '[1]'; do
		printf '%s' "$text" >text
		$gcdc check several.gcdc text -q
		echo "$text: $?"
	done
}
echo '{"type": "array", "anyOf": [{"uniqueItems": true, "minItems": 3}, {"uniqueItems": true, "items": {"type": "string"}}]}' >several.schema.json
$gcdc compile several.schema.json -o several.gcdc -q
verdicts
echo '{"type": "array", "anyOf": [{"uniqueItems": true, "minItems": 3}, {"items": {"type": "string"}}]}' >several.schema.json
$gcdc compile several.schema.json -o several.gcdc -q --unique everywhere
verdicts
# Else all numbers have to differ, and strings need not: that is refused.
$gcdc compile several.schema.json -o several.gcdc -q
# Where either may come, it is told at run time.
echo '{"type": "array", "anyOf": [{"uniqueItems": true}, {"minItems": 3}]}' >several.schema.json
$gcdc compile several.schema.json -o several.gcdc -q
verdicts
$gcdc verify several.gcdc --against several.schema.json
$gcdc mask several.gcdc --prefix '[1, 1'
# Of a key that comes twice the last value counts: the open item may still become the first one. One bracket in another,
# both told: tokens that close both; an inner array that has equal items, one whose string behind a backslash is known.
echo '{"type": "array", "items": {"anyOf": [{"type": "array", "uniqueItems": true}, {"type": "array", "minItems": 3}]}}' >rows.schema.json
$gcdc compile rows.schema.json -o rows.gcdc -q
tries() {   # PREFIX TOKEN...: which of them are in the mask?
	prefix=$1
	shift
	for token in "$@"; do
		$gcdc why rows.gcdc --prefix "$prefix" --token "$token" | head -1
	done
}
tries '[[{"x":1},{"x":9,"x":1' '}],' '}' '],'
tries '[[{"x":1},{"x":9,"y":1' '}],'
tries '[[{"x":"a"},{"x":"a' '"}],' '"]},' '"}'
tries '[[{"x":"a"},{"x":"b' '"}],'
tries '[[1,1' ']' '],' ',' '2' ' '
tries '[[1,12' ']' ']]'
tries '[["a\"","a\' '""' '"' 'n'
echo '{"anyOf": [{"type": "array", "uniqueItems": true}, {"type": "array", "minItems": 3}],
	"items": {"anyOf": [{"type": "array", "uniqueItems": true}, {"type": "array", "minItems": 3}]}}' >rows.schema.json
$gcdc compile rows.schema.json -o rows.gcdc -q
tries '[[1],[1' ']' ']]' '],'
tries '[[1],[2' ']' ']]' '],'
tries '[[1],[1],[1' ']]'
tries '[[1,1' ']' ']]'
# The array may stand in other text, and a token end it and go on there.
echo 'start: %json {"anyOf": [{"type": "array", "uniqueItems": true}, {"type": "array", "minItems": 3}]} ")"' >rows.lark
$gcdc compile rows.lark -o rows.gcdc -q
tries '[1,1' '])' ']' '];'
tries '[1,2' '])' ']'
tries '[1,1,1' '])' ']'
# Of a key: with equal items another key is asked for. A mark that no text has stands for the bracket.
echo '{"type": "object", "properties": {"a": true, "b": {"type": "integer"}}, "additionalProperties": false,
 "anyOf": [{"properties": {"a": {"uniqueItems": true}}}, {"required": ["b"]}]}' >told.schema.json
$gcdc compile told.schema.json -o told.gcdc -q
for text in '{"a": [1, 1], "b": 2}' '{"a": [1, 1]}' '{"a": [1, 2]}' '{"a": ["x", "\u0078"] }' '{"a": [[1, 1]]}' '{"a": [[1], [1.0]]}' \
	"$(printf '{"a": [1, 1\001, "b": 2}')"; do
	printf '%s' "$text" >text
	$gcdc check told.gcdc text -q
	echo "$text: $?"
done
$gcdc compile told.schema.json -o indented.gcdc -q --space indented
# A bracket with its indent begins with those of outer levels, which say more of their items.
echo '{"type": "object", "properties": {"a": {"type": "array", "uniqueItems": true, "items": {"type": "string"}}, "c": {"type": "object",
 "properties": {"d": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}}}}, "additionalProperties": false}' >levels.schema.json
$gcdc compile levels.schema.json -o levels.gcdc -q --space indented
printf '{\n  "a": [\n    "q"\n  ],\n  "c": {\n    "d": [\n      [\n        "q",\n        "q"\n      ]\n    ]\n  }\n}' >text
$gcdc check levels.gcdc text -q
echo "levels: $?"
printf '{\n  "a": [\n    "q",\n    "q"\n  ]\n}' >text
$gcdc check levels.gcdc text -q
echo "levels: $?"
$gcdc why told.gcdc --prefix '{"a": [1, 1' --token ']'
$gcdc why told.gcdc --prefix '{"a": [1, 1' --token ']}'
$gcdc why told.gcdc --prefix '{"a": [1, 1]' --token '}'
$gcdc compile strings.schema.json -o free.gcdc -q --allow-unenforced uniqueItems --canonical soft
printf '["a","a"]' >text
$gcdc check free.gcdc text -q
