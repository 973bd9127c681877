# The shortest text has a million tokens, more than a price may be: it has none, which is told, and all else works.
exec 2>&1
{
	echo 'root ::= r0'
	for i in $(seq 0 19); do echo "r$i ::= r$((i + 1)) r$((i + 1))"; done
	echo 'r20 ::= "a"'
} >"$work/far.gbnf"
printf aaa >"$work/begun"
"$gcdc" compile "$work/far.gbnf" -o "$work/far.gcdc" 2>&1 | grep "costs of" || exit
"$gcdc" mask "$work/far.gcdc" --prefix aaa --limit 2
"$gcdc" close "$work/far.gcdc" || echo "exit $?"
"$gcdc" mask "$work/far.gcdc" --budget 2000000 || echo "exit $?"
"$gcdc" check "$work/far.gcdc" --budget 2000000 "$work/begun" || echo "exit $?"
"$gcdc" sample "$work/far.gcdc" --budget 2000000 || echo "exit $?"
