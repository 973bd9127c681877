# Each preset takes what chat templates render (scripts/compare_templates.py wrote the texts), and refuses other names of
# tools and keys; choices and what is refused by name.
tools=tests/cli/data/tools/tools.json
for preset in qwen hermes llama3 mistral mistral-args deepseek deepseek-v3.1 harmony; do
	mkdir "$work/$preset"
	awk -v to="$work/$preset" 'BEGIN { RS = "\n%%%\n"; ORS = "" } { print > (to "/" NR ".txt") }' tests/cli/data/tools/$preset.txt
	reasoning='--reasoning optional'
	[ $preset = harmony ] && reasoning=
	"$gcdc" compile $tools --from tools --preset $preset $reasoning --quiet --budget off -o "$work/$preset.gcdc"
	"$gcdc" check "$work/$preset.gcdc" "$work/$preset"/*.txt >"$work/out" 2>&1 || cat "$work/out"
	mkdir "$work/$preset/wrong"
	for text in $(cd "$work/$preset" && grep -lE 'get_weather|search' ./*.txt); do
		sed 's/get_weather/get_wether/; s/search/serch/' "$work/$preset/$text" >"$work/$preset/wrong/name_${text#./}"
		sed 's/"city"/"town"/; s/"deep"/"dip"/' "$work/$preset/$text" >"$work/$preset/wrong/key_${text#./}"
	done
	"$gcdc" check "$work/$preset.gcdc" --expect reject "$work/$preset/wrong"/*.txt >"$work/out" 2>&1 || cat "$work/out"
	echo "$preset: $(ls "$work/$preset"/*.txt | wc -l) accepted, $(ls "$work/$preset/wrong" | wc -l) refused"
done

verdict() { # CHOICE REASONING TEXT
	"$gcdc" compile $tools --from tools --preset qwen --choice $1 --reasoning $2 --quiet --budget off -o "$work/x.gcdc"
	printf "$3" >"$work/x.txt"
	if "$gcdc" check --quiet "$work/x.gcdc" "$work/x.txt" 2>&1; then echo "$1 $2: accepted"; else echo "$1 $2: refused"; fi
}
call='<tool_call>\n{"name": "get_weather", "arguments": {"city": "x"}}\n</tool_call>'
verdict auto none 'text'
verdict none none 'text'
verdict none none "$call"
verdict required none 'text'
verdict required none "$call$call"
verdict search none "$call"
verdict get_weather none "$call"
verdict required required "<think>a <b> </thin\n</think>\n\n$call"
verdict required opened "so\n</think>\n\n$call"
verdict required opened "$call"
verdict auto opened "so</think>yes"
verdict auto optional "yes</think>"

for options in '--preset qwn' '--choice auto' '--preset qwen --choice nobody' '--preset qwen --order any'; do
	"$gcdc" compile $tools --from tools $options --quiet -o "$work/x.gcdc" 2>&1 | head -1
done
"$gcdc" compile $tools --from tools --preset qwen --provenance --quiet -o "$work/x.gcdc" &&
	"$gcdc" verify "$work/x.gcdc" --against $tools
# Lists as other APIs take them: Gemini's, with lists of functions and types in capitals, and Bedrock's.
cat >"$work/gemini.json" <<'END'
{"tools": [{"functionDeclarations": [{"name": "a", "parameters": {"type": "OBJECT", "properties": {"x": {"type": "INTEGER", "nullable": true}}}},
  {"name": "b", "parameters": null, "parametersJsonSchema": {"type": "object", "properties": {"y": {"type": "string"}}, "additionalProperties": false}}]},
 {"function_declarations": [{"name": "c"}]}, {"toolSpec": {"name": "d", "inputSchema": {"json": {"type": "object", "required": ["z"]}}}}]}
END
echo '{"tools": [{"functionDeclarations": []}]}' >"$work/none.json"
for preset in "" "--preset llama3 --choice required"; do
	rm -f "$work/x.gcdc"
	"$gcdc" compile "$work/gemini.json" --from tools $preset --quiet --budget off -o "$work/x.gcdc"
	for call in '"a" {"x": null}' '"a" {"x": "1"}' '"b" {"y": ""}' '"b" {"y": 1}' '"c" {}' '"c" {"x": 1}' '"d" {"z": 1}' '"d" {"y": 1}'; do
		[ -n "$preset" ] && key=parameters || key=arguments
		printf '{"name": %s, "%s": %s}' "${call%% *}" $key "${call#* }" >"$work/x.txt"
		"$gcdc" check --quiet "$work/x.gcdc" "$work/x.txt" 2>&1
		echo "$? $call"
	done
done
"$gcdc" compile "$work/none.json" --from tools --quiet -o "$work/x.gcdc" 2>&1 || echo "refused"
