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
check '{"$schema": "http://json-schema.org/draft-03/schema#", "properties": {"a": {"type": "string", "required": true}, "b": {"divisibleBy": 2},
 "c": {"disallow": ["string", {"maximum": 3}]}, "d": {"extends": {"type": "string"}, "required": false}, "e": {"type": ["null", {"minimum": 3}]}},
 "extends": [{"properties": {"f": {"type": "any", "required": true}}}], "dependencies": {"d": "b"}, "id": "http://example.com/three"}' \
	'{"a": "", "f": 1}' '{"f": 1}' '{"a": ""}' '{"a": "", "f": 1, "b": 3}' '{"a": "", "f": 1, "c": ""}' '{"a": "", "f": 1, "c": 3}' '{"a": "", "f": 1, "c": 4}' \
	'{"a": "", "f": 1, "d": 1, "b": 2}' '{"a": "", "f": 1, "d": ""}' '{"a": "", "f": 1, "d": "", "b": 2}' '{"a": "", "f": 1, "e": 2}' '{"a": "", "f": 1, "e": 3}' 3
check '{"multipleOf": 86400000}' 0 86400000 -172800000.00 8640000 86400000.5 43200000 8640000000 86400000e1
check '{"multipleOf": 1e30}' 1000000000000000000000000000000 100000000000000000000000000000
check '{"multipleOf": 65536}' 65536 196608.0 65535 655360
check '{"format": "date", "maxLength": 65535}' '"2024-02-29"' '"2024-02-30"' '""'
check '{"enum": ["a", "bcd", "éé"], "maxLength": 2}' '"a"' '"bcd"' '"éé"' '"éa"'
check '{"pattern": "^(ab?)+$|^c{3}$", "maxLength": 3, "minLength": 2}' '"a"' '"aa"' '"aba"' '"abab"' '"ccc"'
check '{"pattern": "^(a|bb|é{4})$", "maxLength": 4, "minLength": 1}' '"a"' '"bb"' '"éééé"' '"ééé"'
check '{"format": "base64url"}' '""' '"a"' '"ab"' '"ab="' '"ab=="' '"abc"' '"abc="' '"a_-b"' '"a+/b"'
check '{"format": "char"}' '""' '"a"' '"\u00e9"' '"é"' '"ab"'
check '{"format": "date-time-local"}' '"2024-02-29T23:59:59.5"' '"2023-02-29T23:59:59"' '"2024-02-29T23:59:59Z"'
check '{"format": "time-local"}' '"23:59:59"' '"23:59:60"'
check '{"pattern": "^(?i:ab)c$"}' '"ABc"' '"abc"' '"abC"'
# What ECMA 262 takes without flag u alone: brackets by themselves, signs that need no escape. [^] is any character, [] none.
check '{"pattern": "^\\${a}]{2}{\\-\\_[\\w-.]$"}' '"${a}]]{-_."' '"${a}]{-_b"' '"${a}]]{-_a"' '"${a}]]{-_-"' '"${a}]]{\\-_."'
# A part that is counted behind what may begin anywhere, and anything behind it: one thread counts.
a32=abcdefghijklmnopqrstuvwxyzPR4567
check '{"pattern": "PR[a-zA-Z0-9]{32}"}' "\"PR$a32\"" "\"PR${a32%7}\"" "\" PPRPR${a32%67}R \"" "\" PR${a32%7}-PR$a32-\"" "\"PRPR${a32%7}\"" "\"PRPR${a32%67}\""
check '{"pattern": "(?:a|bc){3,5}d*"}' '"abca"' '"xaaay"' '"bcbcb"' '"bcabbcabcbca"' '"aabaa"'
check '{"pattern": "^[^]$|^b[]"}' '"a"' '"\n"' '"]"' '"é"' '"b]"' '""'
check '{"anyOf": [{"pattern": "^[]a]$"}, {"type": "null"}], "type": "string"}'
check '{"type": "string", "pattern": "^a$b"}'
# Texts, and a pattern that one of them fits, tell alternatives apart; one text comes twice.
check '{"required": ["k", "v"], "anyOf": [{"properties": {"k": {"const": "a"}, "v": {"type": "null"}}}, {"properties": {"k": {"const": "bb"},
 "v": {"type": "boolean"}}}, {"properties": {"k": {"const": "a"}, "v": {"type": "string"}}}, {"properties": {"k": {"pattern": "^b"},
 "v": {"type": "integer"}}}, {"properties": {"k": {"const": "bc"}, "v": {"type": "object"}}}, {"properties": {"k": {"const": ""},
 "v": {"const": [0]}}}, {"properties": {"k": {"pattern": "^.?$"}, "v": {"const": [1]}}}, {"properties": {"k": {"const": "c"}, "v": {"const": [2]}}}]}' \
	'{"k": "a", "v": null}' '{"k": "a", "v": ""}' '{"k": "a", "v": 1}' '{"k": "a", "v": [1]}' '{"k": "bb", "v": true}' '{"k": "bb", "v": 1}' \
	'{"k": "bb", "v": null}' '{"k": "bb", "v": [1]}' '{"k": "bc", "v": {}}' '{"k": "bc", "v": 1}' '{"k": "bc", "v": true}' '{"k": "b", "v": 1}' \
	'{"k": "b", "v": {}}' '{"k": "b", "v": [1]}' '{"k": "", "v": [0]}' '{"k": "", "v": [1]}' '{"k": "", "v": [2]}' '{"k": "c", "v": [1]}' \
	'{"k": "c", "v": [2]}' '{"k": "c", "v": 1}' '{"k": "dd", "v": null}' '{"k": "dd", "v": [1]}'
check '{"type": "object", "required": ["k", "v"], "oneOf": [{"properties": {"k": {"const": "a"}, "v": {"minimum": 0}}}, {"properties": {"k": {"const": "é"},
 "v": {"type": "boolean"}}}, {"properties": {"k": {"enum": ["a"]}, "v": {"type": "integer"}}}, {"properties": {"k": {"const": "ê"}, "v": {"minimum": 3}}},
 {"properties": {"k": {"pattern": "^.$"}, "v": {"type": ["integer", "null"]}}}]}' '{"k": "a", "v": 1}' '{"k": "a", "v": -1}' '{"k": "a", "v": 0.5}' \
	'{"k": "a", "v": -0.5}' '{"k": "a", "v": null}' '{"k": "é", "v": true}' '{"k": "é", "v": null}' '{"k": "ê", "v": 3}' '{"k": "ê", "v": 3.5}' \
	'{"k": "b", "v": 3}' '{"k": "b", "v": true}'
true
# json.dumps writes U+007F as an escape, unless ensure_ascii is off.
check '{"properties": {"\u007f": {"enum": ["\u007f", 1, ["a\u007f"]]}, "b": {"pattern": "^.$"}}, "additionalProperties": false}' \
	'{"\u007f": "\u007f"}' "$(printf '{"b": "\177", "\177": "\177"}')" '{"b": "\u007f", "\u007f": ["a\u007f"]}' '{"\u007e": 1}'
# Of a schema that no value satisfies the innermost place is told.
check '{"properties": {"a": {"type": "string"}, "b": {"$ref": "#/$defs/b"}}, "required": ["a", "b"],
 "$defs": {"b": {"type": "object", "properties": {"c": {"allOf": [{"type": "string"}, {"type": "number", "enum": []}]}}, "required": ["c"]}}, "type": "object"}'
check '{"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {}}, "required": ["b", "c"], "additionalProperties": false}}, "required": ["a"]}'
check '{"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}'
check '{"type": "object", "properties": {"a": {"type": "string", "pattern": "^ab", "maxLength": 1}, "b": false}, "required": ["a"]}'
check '{"type": "object", "properties": {"a": {"type": "array", "items": false, "minItems": 1}}, "required": ["a"]}'
check '{"type": []}'
# Numbers with more digits than are counted are told at their place.
check '{"properties": {"a": {"maximum": 1e400}}}'
check '{"properties": {"a": {"exclusiveMinimum": -1e-400}}}'
check '{"properties": {"a": {"enum": ["x", [1e1000]]}}}'
check '{"enum": [1.7976931348623157e308, 5e-324, 0e999]}' 1.7976931348623157e+308 5e-324 0.0 5e-323
# Beside $ref a draft up to 7 has nothing; a name that is not quite a draft's is no draft's, so all counts.
for uri in http://json-schema.org/draft-07/schema# http://json-schema.org/draft-04/schema https://json-schema.org/draft-07/schema \
	http://json-schema.org/draft-07/schema#/; do
	echo "{\"\$schema\": \"$uri\", \"definitions\": {\"s\": {\"type\": \"string\"}}, \"\$ref\": \"#/definitions/s\", \"pattern\": \"^[0-9]+\$\"}" >odd.schema.json
	$gcdc compile odd.schema.json -o odd.gcdc -q --budget off || exit
	echo '"x"' | $gcdc check -q odd.gcdc - 2>/dev/null
	echo "$? $uri"
done
