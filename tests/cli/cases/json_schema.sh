# A schema becomes an artifact; what it does not take is refused where it begins to be wrong.
cat >"$work/weather.schema.json" <<'END'
{
  "type": "object",
  "properties": {
    "city": {"type": "string", "minLength": 1, "maxLength": 8},
    "unit": {"enum": ["celsius", "fahrenheit"]},
    "days": {"type": "integer", "minimum": 1, "maximum": 14}
  },
  "required": ["city", "unit"],
  "additionalProperties": false
}
END
$gcdc compile "$work/weather.schema.json" -o "$work/weather.gcdc" --quiet || exit
for text in '{"city": "Ulm", "unit": "celsius", "days": 14}' '{"city":"\u00c5lborg","unit":"fahrenheit"}' '{"city": "Ulm", "unit": "kelvin"}' \
	'{"city": "Ulm", "unit": "celsius", "days": 15}' '{"city": "", "unit": "celsius"}' '{"unit": "celsius", "city": "Ulm"}'; do
	printf '%s' "$text" >"$work/reply.json"
	$gcdc check -q "$work/weather.gcdc" "$work/reply.json"
	echo "$? $text"
done
echo '{"type": "array", "uniqueItems": true, "items": {"maxItems": 9}}' >"$work/unique.json"
$gcdc compile "$work/unique.json" -o "$work/unique.gcdc" --quiet
echo '{"allOf": [{"type": "string"}, {"type": "null"}]}' >"$work/empty.json"
$gcdc compile "$work/empty.json" -o "$work/empty.gcdc" --quiet
echo '{"$ref": "http://example.com/other.json"}' >"$work/remote.json"
$gcdc compile "$work/remote.json" -o "$work/remote.gcdc" --quiet
