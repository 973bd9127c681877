# A list of 12,000 texts is one terminal, as a short one is: it compiles at once, beside its pieces and with the empty text.
exec 2>&1
seq -f '"item %g of the list",' 1 12000 | tr -d '\n' >"$work/items"
printf '[%s"items \\u00e9"]' "$(cat "$work/items")" >"$work/long.choice.json"
printf '["",%s"items \\u00e9"]' "$(cat "$work/items")" >"$work/empty.choice.json"
printf 'item 11999 of the list' >"$work/one"
printf 'items é' >"$work/last"
printf 'item 12001 of the list' >"$work/none"
printf 'item 119' >"$work/begun"
: >"$work/nothing"
for list in long empty; do
	"$gcdc" compile "$work/$list.choice.json" -q --max-seconds 20 -o "$work/$list.gcdc" || continue
	"$gcdc" inspect "$work/$list.gcdc" | grep -o "^ *[0-9]* terminals\?"
	for text in one last none begun nothing; do "$gcdc" check "$work/$list.gcdc" "$work/$text"; done
done
# So are alternatives of GBNF and EBNF, also beside others.
seq -f '"item %g of the list" | ' 1 12000 | tr -d '\n' >"$work/items"
printf 'root ::= name "." name\nname ::= number | "x" | %s"y" | "items \xc3\xa9"\nnumber ::= [0-9]+\n' "$(cat "$work/items")" >"$work/name.gbnf"
printf 'root ::= name "." name\nname ::= "" | "x" | %s"y" | "items \xc3\xa9"\n' "$(cat "$work/items")" >"$work/name.ebnf"
printf 'item 11999 of the list.items é' >"$work/two"
printf 'x.12' >"$work/number"
printf '.y' >"$work/nothing"
for list in name.gbnf name.ebnf; do
	"$gcdc" compile "$work/$list" -q --max-seconds 20 -o "$work/name.gcdc" || continue
	"$gcdc" inspect "$work/name.gcdc" | grep -o "^ *[0-9]* terminals\?"
	for text in two number nothing one; do "$gcdc" check -q "$work/name.gcdc" "$work/$text" >/dev/null && echo "$text"; done
done
:
