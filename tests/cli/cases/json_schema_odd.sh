# Schemas as they are found: wrong values that are let pass are told, large round divisors, formats of OpenAPI's registry.
cd "$work" || exit
check() { # SCHEMA, texts: the verdict of each
	echo "$1" >odd.json
	shift
	$gcdc compile odd.json -o odd.gcdc -q --order any --allow-unenforced type,minLength,pattern 2>messages || { cat messages; return; }
	for text; do
		printf '%s' "$text" | $gcdc check -q odd.gcdc -
		echo "$? $text"
	done
	$gcdc inspect odd.gcdc | grep "not enforced"
}
check '{"properties": {"a": {"type": "String", "maxLength": 2}, "b": {"minLength": null, "type": "string", "pattern": "\\h"}}, "required": ["b", 5]}'
check '{"properties": {"a": {"type": "String", "maxLength": 2}, "b": {"minLength": null, "type": "string", "pattern": "\\h"}}, "required": ["b"]}' \
	'{"b": "", "a": 1}' '{"a": "abc", "b": ""}' '{"a": 1}'
check '{"properties": {"a": {"type": "integer", "required": true}}}' '{}' '{"a": 1}' '{"a": ""}'
check '{"multipleOf": 86400000}' 0 86400000 -172800000.00 8640000 86400000.5 43200000 8640000000 86400000e1
check '{"multipleOf": 1e30}' 1000000000000000000000000000000 100000000000000000000000000000
check '{"multipleOf": 65536}' 65536 196608.0 65535 655360
check '{"format": "base64url"}' '""' '"a"' '"ab"' '"ab="' '"ab=="' '"abc"' '"abc="' '"a_-b"' '"a+/b"'
check '{"format": "char"}' '""' '"a"' '"\u00e9"' '"é"' '"ab"'
check '{"format": "date-time-local"}' '"2024-02-29T23:59:59.5"' '"2023-02-29T23:59:59"' '"2024-02-29T23:59:59Z"'
check '{"format": "time-local"}' '"23:59:59"' '"23:59:60"'
check '{"pattern": "^(?i:ab)c$"}' '"ABc"' '"abc"' '"abC"'
true
