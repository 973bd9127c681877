# `format: regex`: which strings are regular expressions of ECMA 262 (flag u); the empty one by minLength; idn-email.
cd "$work" || exit
echo '{"properties": {"a": {"type": "string", "format": "regex"}, "b": {"format": "regex", "minLength": 1}}, "additionalProperties": false}' >r.json
$gcdc compile r.json -o r.gcdc -q --budget off || exit
while IFS= read -r text; do
	printf '%s' "$text" >text
	if $gcdc check -q r.gcdc text && $gcdc check -q --bytes r.gcdc text; then echo "taken $text"; else echo "refused $text"; fi
done <<'END'
{"a": ""}
{"b": ""}
{"b": "|"}
{"a" : "^[a-z0-9_-]{1,255}$" }
{"a": "(?:x|(y(z)))*?((((((((((w))))))))))"}
{"a": "^(?!foo)(?=bar)(?<=a)(?<!b).* [ -~]+\\d{3}-\\d{4}\\.\\/\\b"}
{"a": "[\\x00-\\x1f\\u4e00-\\u9fa5\\u0400-\\u04FF^\\]-]|[^]|[]"}
{"a": "\\p{L}\\P{Lu}\\u{1F600}\"\t\u00e9\ud83d\ude00é"}
{"a": "x{2}y{2,}z{10,12}?", "b": "a"}
{"a": "("}
{"a": "^(abc]"}
{"a": "a**"}
{"a": "+a"}
{"a": "[z-a]"}
{"a": "[\\x1f-\\x00]"}
{"a": "a{3,2}"}
{"a": "a{21,20}"}
{"a": "a{2"}
{"a": "}"}
{"a": "\\Z"}
{"a": "\\"}
{"a": "(?=a)*"}
{"a": "\\b+"}
{"a": "[\\d-z]"}
{"a": "(?a)"}
{"a": "(()"}
{"a": "a|*"}
{"a": "\\u12"}
{"a": "\\p{Foo}"}
{"a": "a
END
# Where another condition stands beside, groups nest three deep.
while IFS= read -r schema && IFS= read -r texts; do
	echo "$schema" >m.json
	$gcdc compile m.json -o m.gcdc -q --budget off 2>&1 | grep -o "format .*"
	for text in $texts; do
		printf '%s' "$text" >text
		if $gcdc check -q m.gcdc text; then echo "taken $text"; else echo "refused $text"; fi
	done
done <<'END'
{"type": "string", "format": "regex", "pattern": "^[^x]"}
"(((a)+)*)?" "((((a))))" "(?=(?:a|b)c(d))e" "(?<!a)b" "(?=a)*" "(?:(?=a))" "((?!a)" "((?<!a)" "(?:a){2,3}?b|c()" "x" "(a" "a)" "(a))" "(a)**" "(?a)" "[a-z]\\p{Lu}" "[z-a]"
{"type": "string", "format": "regex", "maxLength": 3}
"(a)" "[a]" "a" "(((" "aaaa" "a**"
{"type": "string", "format": "regex", "not": {"enum": ["a", "b"]}}
"a" "b" "c" "("
{"propertyNames": {"format": "regex"}, "additionalProperties": {"type": "null"}}
{"^x-":null,"(a)":null} {"(":null} {} {"((((a))))":null} {"((((a)))":null}
{"anyOf": [{"properties": {"not": {"format": "regex"}}, "required": ["a"]}, {"properties": {"not": {"maxLength": 2}}, "required": ["b"]}]}
{"not":"(a)","a":1} {"not":"(","a":1} {"not":"(","b":1} {"not":"(a)","b":1}
{"not": {"type": "string", "format": "regex"}}
"a" "(a)" "*a" "a\\" "a\\\\" "(" 1
{"oneOf": [{"type": "string", "format": "regex", "maxLength": 9}, {"type": "null"}]}
"(a)" "*a" "(" "aaaaaaaaaa" null
{"if": {"propertyNames": {"$ref": "#/$defs/r"}}, "then": {"required": ["a"]}, "$defs": {"r": {"format": "regex"}}}
{"a":1} {"b":1} {"+b":1} {"(":1} {"b":1,"?":1} {"a":1,"(":1}
{"oneOf": [{"type": "string", "format": "regex"}, {"const": "((((a))))"}]}
"((((a))))" "(a)" "("
{"not": {"propertyNames": {"format": "regex"}}, "type": "object"}
{"((((a))))":1} {"(a)":1} {"*a":1} {"*a":1,"((((a))))":1}
{"not": {"propertyNames": {"format": "regex"}}, "type": "object", "properties": {"((((a))))": {"type": "integer"}}}
{"((((a))))":1} {"*a":1}
{"type": "array", "contains": {"type": "string", "format": "regex", "pattern": "a"}, "maxContains": 2}
["a","(a)","b"] ["a","a","a"] ["a","*a","+a"] ["*a"] ["a","("]
END
echo '{"type": "string", "format": "idn-email"}' >e.json
$gcdc compile e.json -o e.gcdc -q --budget off || exit
for text in '"실례@실례.테스트"' '"ä.b@example.com"' '"2962"' '"a@-b.c"' '"a@xn--b.d"'; do
	printf '%s' "$text" >text
	if $gcdc check -q e.gcdc text; then echo "taken $text"; else echo "refused $text"; fi
done
echo '{"type": "string", "format": "regex"}' >m.json
$gcdc compile m.json -o m.gcdc -q --budget off --format known 2>/dev/null
$gcdc inspect m.gcdc | grep 'not enforced'
