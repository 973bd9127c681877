# Any number of subschemas decides which keys are evaluated: fourteen by a key's value, one that brings a pattern with it.
cd "$work" || exit
python3 - >unevaluated.json <<'PY'
import json
kinds = [{"properties": {"kind": {"const": f"k{i}"}, f"a{i}": True, "even" if i % 2 == 0 else "odd": {"type": "null"}}} for i in range(14)]
print(json.dumps({"type": "object", "properties": {"kind": True}, "required": ["kind"], "anyOf": kinds, "unevaluatedProperties": {"const": 7},
                  "if": {"properties": {"x": True}, "required": ["x"]}, "then": {"patternProperties": {"^x-|^a3$": {"type": "integer"}}}}))
PY
$gcdc compile unevaluated.json -o unevaluated.gcdc -q --budget off || exit
for text in '{"kind": "k3", "a3": 1}' '{"kind": "k3", "a4": 1}' '{"kind": "k3", "a4": 7}' '{"kind": "k3", "odd": null}' '{"kind": "k3", "even": null}' \
	'{"kind": "k3", "odd": 7}' '{"kind": "k12", "even": null, "a12": {}}' '{"kind": "k14"}' '{"kind": "k0", "x": 1, "x-y": 2}' '{"kind": "k0", "x-y": 2}' \
	'{"x-y": 2, "kind": "k0", "x": []}' '{"kind": "k0", "x": 1, "x-y": ""}' '{"kind": "k0", "a3": 2}' '{"kind": "k0", "a3": 2, "x": 1}' \
	'{"kind": "k0", "a3": "", "x": 1}' '{"kind": "k3", "a3": "", "x": 1}' '{"kind": "k0", "x-y": 7}' '{"kind": "k0", "z": 1}' '{"kind": "k0", "z": 7}'; do
	printf '%s' "$text" | $gcdc check -q unevaluated.gcdc - 2>/dev/null
	echo "$? $text"
done
