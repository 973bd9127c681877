# A page has at most 2 MB, however large the tables are.
{
	printf 'start: (word SEMICOLON)+\nSEMICOLON: ";"\nword: W0'
	for i in $(seq 1100); do printf ' | W%d word SEMICOLON' "$i"; done
	for i in $(seq 0 1100); do printf '\nW%d: "w%d"' "$i" "$i"; done
	echo
} >"$work/words.lark"
"$gcdc" compile "$work/words.lark" --quiet -o "$work/words.gcdc"
"$gcdc" inspect "$work/words.gcdc" --html "$work/words.html"
bytes=$(wc -c <"$work/words.html")
[ "$bytes" -le 2000000 ] && [ "$bytes" -ge 1500000 ] && echo "at most 2 MB, and most of it used"
