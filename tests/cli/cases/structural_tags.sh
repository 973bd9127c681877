# The document of docs/tools.md, and parts that only characters tell apart.
sed -n '/^```json/,/^```/p' docs/tools.md | sed '1d;$d' >"$work/tools.structural_tag.json"
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

# The commands of docs/tools.md print what stands below them.
sed -n '/^```sh/,/^```/p' docs/tools.md | sed '1d;$d' >"$work/commands"
sed -n '/^```text/,/^```/p' docs/tools.md | sed '1d;$d' >"$work/expected"
(cd "$work" && export PATH="$(dirname "$gcdc"):$PATH" && bash ./commands >said 2>&1)
diff "$work/expected" "$work/said" && echo "docs/tools.md: as it says"
