# A limit that a schema passes is told by what passes it, and what is told is told once.
exec 2>&1
try() {
	"$gcdc" compile "$@" --budget off --quiet -o "$work/out.gcdc"
	echo "exit $?"
}
echo "--- entries that are counted"
echo '{"type": "object", "minProperties": 1000000}' >"$work/many.schema.json"
try "$work/many.schema.json" --from json-schema
echo '{"properties": {"a": {}}, "additionalProperties": false, "maxProperties": 1000000}' >"$work/few.schema.json"
try "$work/few.schema.json" --from json-schema
echo "--- a list of words"
seq 1000000 2 1300000 | sed 's/.*/"&-&-&"/' | tr '\n' ',' | sed 's/^/[/; s/,$/]/' >"$work/words.json"
try --from choice "$work/words.json" | cut -c1-100
echo "--- a tool without arguments, in a text of a model"
cat >"$work/tools.json" <<END
[{"name": "b", "parameters": {"type": "object", "properties": {"x": {"enum": []}}, "required": ["x"]}}]
END
try --from tools --preset qwen "$work/tools.json"
echo "--- an object in two places, with different orders of its keys"
keys() { seq 0 "$2" | sed "s|.*|$1|" | paste -sd,; }
cat >"$work/order.schema.json" <<END
{"\$defs": {"object": {"type": "object",
                      "properties": {$(keys '"r&": {"type": "integer"}' 13), $(keys '"o&": {}' 9)},
                      "required": [$(keys '"r&"' 13)]}},
 "type": "object", "properties": {"w": {"\$ref": "#/\$defs/object"}, "x": {"\$ref": "#/\$defs/object"}},
 "anyOf": [$(keys '{"properties": {"x": {"properties": {"o&": {"type": "integer"}}}}, "required": ["y&"]}' 9)]}
END
try "$work/order.schema.json" --from json-schema --order auto | grep -v '^  |'
