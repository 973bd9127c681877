# The summary (sizes, which depend on zstd, left out), and every table as JSON.
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet --provenance -o "$work/made.gcdc"
"$gcdc" compile grammars/json/json.lark --quiet -o "$work/json.gcdc"
"$gcdc" inspect "$work/a.gcdc" | sed -E 's/[0-9a-f]{32}/H/; s/format [0-9]+/format V/; s/[0-9]+ (states|byte classes|contexts|obligations)/N \1/g; s/[0-9,]+ bytes; [0-9,]+ more/N bytes; N more/; s/^([a-z_]+ +)(zstd|raw).*/\1.../; s/^(masks) .*/\1 .../; s/^ +[0-9]+ /         N /' |
	awk '/^section/ { print; exit } { print }'
for table in "" terminals productions contexts lexer stacks conflicts transducer sequences spanner always dependent sets lines blanks line_tops vocabulary eos provenance; do
	"$gcdc" inspect "$work/a.gcdc" $table --json --limit 0 >"$work/out.json" || echo "$table: failed"
	"$gcdc" check "$work/json.gcdc" --quiet "$work/out.json" || echo "$table: not JSON"
done
"$gcdc" inspect "$work/made.gcdc" | grep ^made | sed 's/gcdc [0-9.]*/gcdc V/'
"$gcdc" inspect "$work/made.gcdc" provenance | sed -E 's/[0-9a-f]{64}/H/'
