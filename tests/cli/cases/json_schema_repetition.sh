# A repetition at the end of a pattern that nothing anchors: its least number is found wherever more are.
cd "$work" || exit
check() { # PATTERN, as JSON: the texts that are accepted
	printf '{"type": "string", "pattern": "%s"}' "$1" >repetition.json
	$gcdc compile repetition.json -o repetition.gcdc -q || return
	for text in a b bb ab abb abbb abbba babb abbbbbb aabbbbbbbc 'x[]' xx1-2 ''; do
		printf '"%s"' "$text" | $gcdc check -q repetition.gcdc - && echo -n " $text"
	done
	echo
}
check 'ab{2,3}'
check '^ab{2,3}?'
check 'ab{2,3}$'
check '^a{1,2}|b{2,3}'
check '(?=b{2,3})b{3,4}'
check 'ab{2,3}a'
check 'ab{0,3}'
check '(a|$){1,2}'
check '[A-Za-z0-9][A-Za-z0-9\\-_]{3,31}'
check 'b{3,2}'
