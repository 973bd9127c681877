"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" compile grammars/json/json.lark --quiet -o "$work/json.gcdc"
"$gcdc" inspect "$work/a.gcdc" | sed -E 's/^(grammar_hash|vocab_hash) .*/\1 H/; s/(zstd[a-z_]*|raw) +[0-9]+ +[0-9]+/C N N/; s/^(.*_bytes|max_readings|worst_[a-z]*|nodes|starts|edges|sets|set_rows|set_tokens) +[0-9]+/\1 N/'
for table in "" terminals productions contexts lexer lr transducer sequences spanner always dependent sets vocabulary eos; do
	"$gcdc" inspect "$work/a.gcdc" $table --json --limit 0 >"$work/out.json" || echo "$table: failed"
	"$gcdc" check "$work/json.gcdc" --quiet "$work/out.json" || echo "$table: not JSON"
done
