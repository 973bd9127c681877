# The document of docs/tools.md, and parts that only characters tell apart.
sed -n '/^cat >weather.structural_tag.json/,/^END/p' docs/tools.md | sed '1d;$d' >"$work/tools.structural_tag.json"
"$gcdc" compile "$work/tools.structural_tag.json" --quiet -o "$work/tools.gcdc"
verdict() { # ARTIFACT TEXT
	printf "$2" >"$work/x.txt"
	if "$gcdc" check --quiet "$work/$1.gcdc" "$work/x.txt" 2>&1; then echo "accepted: $2"; else echo "refused: $2"; fi
}
verdict tools 'Let me see. <tool_call>{"name": "weather", "arguments": {"city": "Ulm"}}</tool_call> Done.'
verdict tools 'no call <tool_cal'
verdict tools '<tool_call>{"name": "weather", "arguments": {}}</tool_call>'

schema() { printf '{"type": "json_schema", "json_schema": {"type": "object", "properties": {"%s": {"type": "string"}}, "required": ["%s"]}}' "$1" "$1"; }
cat >"$work/or.structural_tag.json" <<END
{"type": "structural_tag", "format": {"type": "sequence", "elements": [
  {"type": "or", "elements": [$(schema a), $(schema b), {"type": "regex", "pattern": ".*c"}]},
  {"type": "const_string", "value": "}"}]}}
END
"$gcdc" compile "$work/or.structural_tag.json" --quiet -o "$work/or.gcdc"
verdict or '{"a": "x}"}}'
verdict or '{"b": "\\\\u00e9"}}'
verdict or '{"c": "c}c}'
verdict or '{"c": "x"}}'

tag() { # NAME FORMAT
	printf '{"type": "structural_tag", "format": %s}' "$2" >"$work/$1.structural_tag.json"
	"$gcdc" compile "$work/$1.structural_tag.json" --quiet -o "$work/$1.gcdc" 2>&1 | sed "s|$work/||"
}
# An end that ends inside itself, characters of any length in free text that is read by characters, no bytes but UTF-8's.
tag lines '{"type": "tag", "begin": "<", "content": {"type": "any_text"}, "end": "\n\n"}'
verdict lines '<a\n\n\n'
verdict lines '<a\n\n\n\n'
tag wide '{"type": "sequence", "elements": [{"type": "any_text", "excludes": ["<>"]}, {"type": "const_string", "value": "<>"}]}'
verdict wide '你 < 你<>'
verdict wide '<><>'
"$gcdc" mask "$work/wide.gcdc" | sed -n 2p
# An end excludes itself from all free text of its tag; a longer trigger goes on behind a shorter one.
tag inside '{"type": "tag", "begin": "<", "content": {"type": "sequence", "elements": [{"type": "any_text"}, {"type": "const_string", "value": "!"}]}, "end": "end"}'
verdict inside '<a!end'
verdict inside '<an end!end'
tag longer '{"type": "dispatch", "rules": [["a", {"type": "const_string", "value": "1"}], ["abc", {"type": "const_string", "value": "2"}]]}'
verdict longer 'xa1abc2ab'
verdict longer 'xa'
# Styles of tags.
tag qwen "{\"type\": \"qwen_xml_parameter\", \"json_schema\": {\"type\": \"object\", \"properties\": {\"q\": {\"type\": \"string\"}, \"n\": {\"type\": [\"integer\", \"null\"]}}, \"required\": [\"q\"]}}"
verdict qwen '<parameter=q>a <b> "c"</parameter>\n<parameter=n> 12\n</parameter>\n'
verdict qwen '<parameter=n>12</parameter>'
tag kimi '{"type": "json_schema", "style": "kimi_k3_xml", "json_schema": {"type": "object", "properties": {"a\"&": {"const": 3}}}}'
verdict kimi '<|open|>argument key="a&quot;&amp;" type="number"<|sep|>3<|close|>argument<|sep|>'
verdict kimi '<|open|>argument key="a&quot;&amp;" type="string"<|sep|>3<|close|>argument<|sep|>'
# Alternatives that name each other, twice a level, and one that names itself: each counts once.
chain='"v0": {"const": "x"}, "v1": {"anyOf": [{"$ref": "#/$defs/v1"}, {"type": "integer"}]}'
for i in $(seq 2 60); do chain+=", \"v$i\": {\"anyOf\": [{\"\$ref\": \"#/\$defs/v$((i - 1))\"}, {\"\$ref\": \"#/\$defs/v$((i - 2))\"}]}"; done
tag chain "{\"type\": \"qwen_xml_parameter\", \"json_schema\": {\"type\": \"object\", \"\$defs\": {$chain}, \"properties\": {\"v\": {\"\$ref\": \"#/\$defs/v60\"}}, \"required\": [\"v\"]}}"
verdict chain '<parameter=v>12</parameter>'
verdict chain '<parameter=v>x</parameter>'
verdict chain '<parameter=v>y</parameter>'
# Objects and lists as tags, a schema that leads back to itself, what stands where nothing is.
tree='{"type": "object", "properties": {"a": {"type": "string"}, "n": {"enum": [1, "x"]}, "l": {"type": "array", "items": {"type": "integer"}, "maxItems": 2}, "t": {"$ref": "#"}}, "required": ["a"], "additionalProperties": false}'
tag cohere "{\"type\": \"json_schema\", \"style\": \"cohere_xml\", \"json_schema\": $tree}"
cofl() { printf '<cofl:value name="%s" type="%s">%s</cofl:value>' "$@"; }
item='<cofl:value type="json"> 3</cofl:value>'
verdict cohere "$(cofl a raw x)$(cofl n json 1)$(cofl l list "$item$item")$(cofl t dict " $(cofl a raw y)")"
verdict cohere "$(cofl a raw x)$(cofl n raw 1)"
verdict cohere "$(cofl a raw x)$(cofl l list "$item $item")"
verdict cohere "$(cofl a raw x)$(cofl t dict "$(cofl n raw x)")"
tag cohere_open '{"type": "json_schema", "style": "cohere_xml", "json_schema": {"type": "object", "properties": {"a&": {"const": {"k": 1}}}, "additionalProperties": true}}'
verdict cohere_open "$(cofl 'a&amp;' json '{"k":1}')$(cofl b dict "$(cofl c list '<cofl:value type="raw">u</cofl:value>')")"
verdict cohere_open "$(cofl 'a&amp;' raw x)"
tag m3 "{\"type\": \"json_schema\", \"style\": \"minimax_m3_xml\", \"json_schema\": $tree}"
m3() { printf ']<]minimax[>[<%s>%s]<]minimax[>[</%s>' "$1" "$2" "$1"; }
verdict m3 " $(m3 a 'x ]<')$(m3 n 1)$(m3 l "$(m3 item 3) $(m3 item 4)")$(m3 t "$(m3 a '')\\n")"
verdict m3 "$(m3 a x)$(m3 l '')"
verdict m3 "$(m3 a x)$(m3 l ' ')"
verdict m3 "$(m3 a x)$(m3 n ' 1')"
verdict m3 "$(m3 a x)$(m3 l "$(m3 item 3)$(m3 item 3)$(m3 item 3)")"
# prefixItems: all of them in one style, at least minItems in the other.
first='{"type": "object", "properties": {"p": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "boolean"}], "items": {"type": "null"}, "minItems": 1}}, "required": ["p"], "additionalProperties": false}'
for style in cohere_xml minimax_m3_xml; do tag "first_$style" "{\"type\": \"json_schema\", \"style\": \"$style\", \"json_schema\": $first}"; done
items() { for value in "$@"; do printf '<cofl:value type="json">%s</cofl:value>' "$value"; done; }
m3_items() { for value in "$@"; do m3 item "$value"; done; }
for list in '1 true null' '1 true' '1' 'true' ''; do
	verdict first_cohere_xml "$(cofl p list "$(items $list)")"
	verdict first_minimax_m3_xml "$(m3 p "$(m3_items $list)")"
done
tag m3_open '{"type": "json_schema", "style": "minimax_m3_xml", "json_schema": {"type": "object", "additionalProperties": true}}'
# Formats, numbers of properties, patterns of names; strings without excluded strings.
tag bounds '{"type": "qwen_xml_parameter", "json_schema": {"type": "object", "properties": {"d": {"type": "string", "format": "date"}, "b": {"type": "boolean"}, "c": {"type": "boolean"}}, "patternProperties": {"x_[a-z]": {"type": "integer"}}, "minProperties": 1, "maxProperties": 2}}'
p() { printf '<parameter=%s>%s</parameter>' "$@"; }
verdict bounds "$(p d 2024-02-29)$(p x_a 3)"
verdict bounds "$(p d 2023-02-29)"
verdict bounds ''
verdict bounds "$(p d 2024-02-29)$(p b true)$(p x_a 3)"
verdict bounds "$(p x_a 3)$(p x_a 3)"
verdict bounds "$(p y_a 3)"
closed='{"type": "object", "properties": {"q": {"type": "string"}, "e": {"enum": ["ab", "c"]}}, "additionalProperties": {"type": "array", "items": {"type": "string"}}}'
for style in json qwen_xml; do tag "without_$style" "{\"type\": \"json_schema\", \"style\": \"$style\", \"excludes\": [\"ab\"], \"json_schema\": $closed}"; done
verdict without_json '{"q": "ba", "e": "c", "z": ["b"]}'
for text in '{"q": "xab"}' '{"e": "ab"}' '{"ab": []}' '{"z": ["ab"]}'; do verdict without_json "$text"; done
verdict without_qwen_xml "$(p q ba)$(p e c)$(p z '["b"]')"
for text in "$(p q xab)" "$(p e ab)" "$(p ab '[]')" "$(p z '["ab"]')"; do verdict without_qwen_xml "$text"; done
tag excludes_pattern '{"type": "json_schema", "excludes": ["a"], "json_schema": {"type": "string", "pattern": "b"}}'
tag excludes_space '{"type": "json_schema", "style": "glm_xml", "excludes": [" a"], "json_schema": {"type": "object"}}'
tag any_order '{"type": "json_schema", "any_order": true, "json_schema": {"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}, "required": ["a"]}}'
verdict any_order '{"b": 2, "a": 1}'
verdict any_order '{"b": 2}'
printf '{"format": {"type": "const_string", "value": "a"}}' >"$work/untyped.structural_tag.json"
"$gcdc" compile "$work/untyped.structural_tag.json" --quiet -o "$work/untyped.gcdc"
verdict untyped a
tag format '{"type": "json_schema", "style": "glm_xml", "json_schema": {"type": "object", "properties": {"d": {"type": "string", "format": "dat"}}}}'
tag one '{"type": "exclude_token", "exclude_tokens": [97]}'
tag tokens '{"type": "any_tokens", "exclude_tokens": [97]}'
# Bounds of repetitions: whole numbers, in order, at most NOTATION_MAX_REPEAT.
for bounds in '"min": 2, "max": 3' '"min": 2, "max": -1' '"min": 2.5, "max": 3' '"min": 2, "max": 1' '"min": -1, "max": 1' '"min": 1, "max": -2' \
	'"min": 0, "max": 70000' '"min": 1e300, "max": 1e301' '"min": "1", "max": 2'; do
	tag repeat "{\"type\": \"repeat\", $bounds, \"content\": {\"type\": \"const_string\", \"value\": \"a\"}}"
done
verdict repeat aa
