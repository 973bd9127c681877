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
for more in '"pattern": "^a"' '"maxLength": 9' '"not": {"const": "a"}'; do
	echo "{\"type\": \"string\", \"format\": \"regex\", $more}" >m.json
	$gcdc compile m.json -o m.gcdc -q 2>&1 | grep -o 'format "regex".*'
done
echo '{"propertyNames": {"format": "regex"}}' >m.json
$gcdc compile m.json -o m.gcdc -q 2>&1 | grep -o "a key cannot have.*"
echo '{"type": "string", "format": "idn-email"}' >e.json
$gcdc compile e.json -o e.gcdc -q --budget off || exit
for text in '"실례@실례.테스트"' '"ä.b@example.com"' '"2962"' '"a@-b.c"' '"a@xn--b.d"'; do
	printf '%s' "$text" >text
	if $gcdc check -q e.gcdc text; then echo "taken $text"; else echo "refused $text"; fi
done
$gcdc compile m.json -o m.gcdc -q --budget off --format known 2>/dev/null
$gcdc inspect m.gcdc | grep 'not enforced'
