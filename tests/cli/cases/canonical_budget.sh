# Soft masks keep a budget: they give way where it leaves nothing canonical. Costs count what hard masks forbid: refused.
for mode in off soft hard; do
	"$gcdc" compile "$data/list.lark" --canonical=$mode --quiet -o "$work/$mode.gcdc" || exit
	"$gcdc" sample "$work/$mode.gcdc" --budget 8 --count 3 --seed 3
	"$gcdc" close "$work/$mode.gcdc" --prefix '[['
done
