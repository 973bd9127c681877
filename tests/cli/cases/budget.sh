"$gcdc" compile grammars/json/json.lark --quiet -o "$work/a.gcdc"
"$gcdc" compile grammars/json/json.lark --quiet --budget aligned -o "$work/b.gcdc"
"$gcdc" compile grammars/json/json.lark --quiet --budget off -o "$work/c.gcdc"
exec 2>&1
for a in a b c; do "$gcdc" close "$work/$a.gcdc" --prefix '[[{"a": tr'; echo "exit $?"; done
"$gcdc" close "$work/a.gcdc" --prefix '{} '
"$gcdc" close "$work/a.gcdc" --prefix '[1}'
echo "exit $?"
"$gcdc" close "$work/a.gcdc" --prefix '[1' --json
"$gcdc" mask "$work/a.gcdc" --prefix '[[[1' --budget 4 --limit 8
"$gcdc" mask "$work/a.gcdc" --prefix '[[[1' --budget 3
echo "exit $?"
"$gcdc" sample "$work/a.gcdc" --count 4 --budget 6
"$gcdc" sample "$work/a.gcdc" --budget 1
echo "exit $?"
"$gcdc" sample "$work/c.gcdc" --budget 9 --count 1
echo "exit $?"
printf '{"a": [1, 2, 3]}' >"$work/text"
"$gcdc" check "$work/a.gcdc" --greedy --budget 40 "$work/text"
"$gcdc" check "$work/a.gcdc" --bytes --budget 9 "$work/text"
echo "exit $?"
"$gcdc" check "$work/a.gcdc" --greedy --budget 5 "$work/text"
echo "exit $?"
