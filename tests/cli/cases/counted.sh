# Repetitions that are counted: their last numbers are told apart, in check, mask and diff.
cd "$work" || exit
letters() { printf '"%s"' "$(head -c "$1" /dev/zero | tr '\0' a)"; }
for n in 700 701; do
	printf 'start: S\nS: /"[a-z]{0,%s}"/\n' "$n" >"$n.lark"
	$gcdc compile "$n.lark" -o "$n.gcdc" -q --budget off || exit
done
$gcdc inspect 700.gcdc | grep -c counter
for n in 699 700 701 702; do
	letters "$n" >text
	for of in 700 701; do
		$gcdc check "$of.gcdc" text -q
		echo "$n of $of: $?"
	done
done
letters 700 | head -c 701 >text
for of in 700 701; do $gcdc mask "$of.gcdc" --prefix "$(cat text)" | tail -n +2 | cut -c 1-60; done
$gcdc diff --bytes 800 700.gcdc 701.gcdc | tail -n 2 | sed 's/a\{20,\}/a...a/g'
