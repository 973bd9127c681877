# Soft masks keep a budget: they give way where it leaves nothing canonical. Hard ones count canonical tokens.
for mode in off soft hard; do
	"$gcdc" compile "$data/list.lark" --canonical=$mode --quiet -o "$work/$mode.gcdc" || exit
	"$gcdc" sample "$work/$mode.gcdc" --budget 8 --count 3 --seed 3
	"$gcdc" close "$work/$mode.gcdc" --prefix '[['
done
"$gcdc" sample "$work/hard.gcdc" --budget 1
"$gcdc" mask "$work/hard.gcdc" --prefix '[[a' --budget 3 --limit 8
"$gcdc" mask "$work/hard.gcdc" --prefix '[[a' --budget 1
# What searches gave up on is told, where there may be such.
"$gcdc" mask "$work/hard.gcdc" --prefix '[[a' --budget 3 --json --limit 1
"$gcdc" mask "$work/off.gcdc" --prefix '[[a' --budget 3 --json --limit 1
"$gcdc" sample "$work/hard.gcdc" --budget 8 --json --count 1
"$gcdc" compile --regex '[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2})?' --canonical=hard --quiet -o "$work/date.gcdc"
"$gcdc" close "$work/date.gcdc" --prefix '20'
"$gcdc" close "$work/date.gcdc" --prefix '2024-01-01 1'
"$gcdc" mask "$work/date.gcdc" --prefix '2024' --budget 6 --limit 4
printf '[[key],[a]]' >"$work/text"
"$gcdc" check "$work/hard.gcdc" --budget 9 "$work/text"
"$gcdc" check "$work/hard.gcdc" --budget 5 "$work/text"
# The shortest way to the end need not be what soft masks prefer.
"$gcdc" compile grammars/json/json.lark --canonical=soft --quiet -o "$work/json.gcdc" || exit
for prefix in '[[[' '{"a":["'; do "$gcdc" close "$work/json.gcdc" --prefix "$prefix"; done
