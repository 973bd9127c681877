# References by URI lead into the folder of --schemas (as HOST/PATH, or by $id) and to the metaschemas; --format says what `format` is.
mkdir -p "$work/store/example.com/units" && cd "$work" || exit
echo '{"enum": ["celsius", "fahrenheit"]}' >store/example.com/units/temperature.json
echo '{"$id": "https://example.org/day", "type": "integer", "minimum": 1, "maximum": 14}' >store/any-name.json
echo '{"type": "object", "properties": {"unit": {"$ref": "https://example.com/units/temperature"}, "days": {"$ref":
 "https://example.org/day"}}, "additionalProperties": false}' >weather.json
$gcdc compile weather.json -o weather.gcdc -q
$gcdc compile weather.json -o weather.gcdc -q --schemas store && for text in '{"unit": "celsius", "days": 3}' '{"unit": "kelvin"}' '{"days": 15}'; do
	echo "$text" | $gcdc check -q weather.gcdc -
	echo "$? $text"
done
# A schema's own metaschema without the vocabulary of validation: its keywords say nothing.
echo '{"$id": "https://example.com/free", "$schema": "https://json-schema.org/draft/2020-12/schema", "$vocabulary":
 {"https://json-schema.org/draft/2020-12/vocab/applicator": true}}' >store/free.json
echo '{"$schema": "https://example.com/free", "properties": {"a": {"minimum": 5}, "b": false}}' >own.json
$gcdc compile own.json -o own.gcdc -q --schemas store && for text in '{"a": 1}' '{"b": 1}'; do
	echo "$text" | $gcdc check -q own.gcdc -
	echo "$? $text"
done
echo '{"$ref": "http://json-schema.org/draft-07/schema#/definitions/simpleTypes"}' >meta.json
$gcdc compile meta.json -o meta.gcdc -q && for text in '"integer"' '"int"'; do
	echo "$text" | $gcdc check -q meta.gcdc -
	echo "$? $text"
done
echo '{"items": [{"format": "ipv4"}, {"format": "zip"}]}' >format.json
for format in assert known annotation; do
	$gcdc compile format.json -o format.gcdc -q --format $format && echo '["x", "y"]' | $gcdc check -q format.gcdc -
	echo "$? $format"
done
# A relative $id below a folder: each reference to the file makes a new URI of it. It is one file, read once.
mkdir -p parts/more
echo '{"properties": {"a": {"$ref": "parts/a.json"}}}' >parts.json
echo '{"$id": "parts/a.json", "type": "object", "properties": {"b": {"$ref": "more/b.json"}, "n": {"type": "integer"}}}' >parts/a.json
echo '{"$id": "parts/more/b.json", "type": "array", "items": {"$ref": "../a.json"}}' >parts/more/b.json
$gcdc compile parts.json -o parts.gcdc -q --budget off && for text in '{"a": {"b": [{"n": 1}]}}' '{"a": {"b": [{"n": "x"}]}}'; do
	echo "$text" | $gcdc check -q parts.gcdc -
	echo "$? $text"
done
