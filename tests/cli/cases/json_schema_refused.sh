# A refusal by a schema's artifact tells the JSON pointer and what could stand there; what is not enforced is told.
cat >"$work/tools.json" <<'JSON'
[{"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string", "maxLength": 8}, "unit":
 {"enum": ["celsius", "fahrenheit"]}, "days": {"type": "array", "items": {"type": "integer", "maximum": 14}, "minItems": 1,
 "maxItems": 2}}, "required": ["city", "unit"], "additionalProperties": false}}]
JSON
cd "$work" && $gcdc compile --from tools tools.json -o weather.gcdc -q || exit
begin='{"name": "weather", "arguments": {"city": "Ulm", "unit": "celsius", "days": '
for text in '{"name": "weather", "arguments": {"city": "Ulm", "unit": "kelvin"}}' '{"name": "weather", "arguments": {"city": 3}}' \
	'{"name": "weather", "arguments": {"city": "Ulm"}}' '{"name": "weather", "arguments": {"city": "Ulm", "units": 3}}' \
	"$begin"'[]' "$begin"'[1, 22]' "$begin"'[1, 2, 3]' "$begin"'[1, 2], "x": 1' "$begin"'[1]}} x' '[]' "$begin"'[1]' ''; do
	printf '%s' "$text" >reply.json
	$gcdc check weather.gcdc reply.json 2>messages
done
cat messages
$gcdc check --json weather.gcdc reply.json | grep '"schema"'
echo '{"items": {"format": "zip"}, "uniqueItems": true, "maxItems": 3}' >list.json
$gcdc compile list.json -o list.gcdc -q --format known --allow-unenforced all 2>messages
$gcdc inspect list.gcdc | grep "not enforced"
# Thirteen required keys in any order are many, fourteen too many: the object is named.
for n in 13 14; do
	python3 - $n >keys.json <<'PY'
import json, sys
keys = {f"k{i}": {"type": "null"} for i in range(int(sys.argv[1]))}
print(json.dumps({"properties": {"x": {"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False}}}))
PY
	$gcdc compile keys.json -o keys.gcdc -q --budget off --order any || echo "$n keys: $?"
done
# A schema that two places refer to: a warning and a record, each once.
cat >twice.json <<'JSON'
{"$defs": {"u": {"type": "array", "items": {"not": {"type": "string"}, "multipleOf": 3}, "maxItems": 3, "contains": {"minimum": 4},
 "uniqueItems": true}}, "properties": {"x": {"$ref": "#/$defs/u"}, "y": {"anyOf": [{"$ref": "#/$defs/u"}, {"items": {"type": "string"}}]}}}
JSON
$gcdc compile twice.json -o twice.gcdc -q --budget off --allow-unenforced uniqueItems 2>&1 | cut -c1-100
$gcdc inspect twice.gcdc | grep "not enforced"
echo '[{"name": "a", "parameters": {"type": "object", "properties": {"x": {"enum": []}}, "required": ["x"]}}]' >none.json
$gcdc compile --from tools none.json -o none.gcdc -q || echo "no artifact"
sed -i 's/]$/, {"name": "b", "parameters": {"type": "object"}}, {"name": "c"}]/' none.json
$gcdc compile --from tools none.json -o none.gcdc -q || echo "no artifact"
# Of tools each one's parameters are what a service takes, or not.
echo '[{"name": "a", "parameters": {"type": "object", "properties": {}, "additionalProperties": false}},
 {"name": "b", "parameters": {"type": "object"}}]' >services.json
$gcdc compile --from tools services.json -o services.gcdc -q --profile openai || echo "no artifact"
