# The examples of docs/expressing.md: each grammar, each text, in several cuts.
kind=
while IFS= read -r line; do
	case $line in
	'```lark '*) kind=lark name=${line#* } n=0 && echo "$name" >>"$work/names" ;;
	'```texts') kind=texts && mkdir -p "$work/$name/accept" "$work/$name/reject" ;;
	'```') kind= ;;
	*)
		[ "$kind" = lark ] && printf '%s\n' "$line" >>"$work/$name.lark"
		[ "$kind" = texts ] || continue
		n=$((n + 1)) folder=accept
		[ "${line:0:1}" = - ] && folder=reject
		printf '%b' "${line:2}" >"$work/$name/$folder/$n.txt"
		;;
	esac
done <docs/expressing.md
while read -r name; do
	"$gcdc" compile "$work/$name.lark" --quiet -o "$work/$name.gcdc" || continue
	for cut in --greedy --bytes '--random-splits 1'; do
		"$gcdc" check "$work/$name.gcdc" $cut "$work/$name/accept"/*.txt >"$work/out" 2>&1 || cat "$work/out"
		"$gcdc" check "$work/$name.gcdc" $cut --expect reject "$work/$name/reject"/*.txt >"$work/out" 2>&1 || cat "$work/out"
	done
	echo "$name: $(ls "$work/$name/accept" | wc -l) accepted, $(ls "$work/$name/reject" | wc -l) refused"
done <"$work/names"
