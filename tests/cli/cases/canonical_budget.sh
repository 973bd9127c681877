# A budget is not kept together with canonical masks: refused, never broken. Without them it is.
for mode in off soft; do
	"$gcdc" compile "$data/list.lark" --canonical=$mode --quiet -o "$work/$mode.gcdc" || exit
	"$gcdc" close "$work/$mode.gcdc" --prefix '[['
done
