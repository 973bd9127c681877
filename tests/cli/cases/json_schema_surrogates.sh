# Classes of a pattern with surrogates that are no halves of a pair: no text holds them, and ranges go around them.
cd "$work" || exit
check() { # PATTERN, as JSON: the texts that are accepted
	printf '{"type": "string", "pattern": "%s"}' "$1" >surrogates.json
	$gcdc compile surrogates.json -o surrogates.gcdc -q || return
	for text in a b x z - 'ퟻ' '' '�' 😀; do
		printf '"%s"' "$text" | $gcdc check -q surrogates.gcdc - && echo -n " $text"
	done
	echo
}
check '^[\\uD800x]$'
check '^[ -\\uD7FF\\uE000-\\uFFFD\\uD800\\uDBFF-\\uDC00\\uDFFF]$'
check '^[^\\uD800-\\uDFFF]$'
check '^[a\\uD800-\\uDFFF-z]$'
check '^[\\uD900-\\uFFFD]$'
check '^[y-\\uD900]$'
check '^[-\\uD800]$'
check '^[\\uD83D\\uDE00x]$'
