# A completion is found behind each token that the mask without a budget has, though most of them stay in a lexeme.
"$gcdc" compile "$data/quoted_names.lark" --canonical=hard --budget aligned --quiet -o "$work/hard.gcdc" 2>/dev/null || exit
for prefix in '' 'WITH' 'WITH "a" AS'; do
	"$gcdc" mask "$work/hard.gcdc" --prefix "$prefix" --json --limit 0
	"$gcdc" mask "$work/hard.gcdc" --prefix "$prefix" --budget 60 --json --limit 0
done
