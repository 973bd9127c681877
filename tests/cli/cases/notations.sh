# The examples of docs/notations.md: each grammar, each text, in several cuts; then what is refused.
kind=
while IFS= read -r line; do
	case $line in
	'```gbnf '* | '```ebnf '*)
		kind=${line%% *} kind=${kind#'```'} file=${line#* }.$kind n=0
		echo "$file" >>"$work/names"
		: >"$work/$file"
		;;
	'```texts') kind=texts && mkdir -p "$work/$file.accept" "$work/$file.reject" ;;
	'```'*) kind= ;;
	*)
		[ "$kind" = gbnf ] || [ "$kind" = ebnf ] && printf '%s\n' "$line" >>"$work/$file"
		[ "$kind" = texts ] || continue
		n=$((n + 1)) folder=accept
		[ "${line:0:1}" = - ] && folder=reject
		printf '%b' "${line:2}" >"$work/$file.$folder/$n.txt"
		;;
	esac
done <docs/notations.md
printf '["yes", "no", "maybe not"]' >"$work/answer.choice.json"
mkdir -p "$work/answer.choice.json.accept" "$work/answer.choice.json.reject"
printf 'maybe not' >"$work/answer.choice.json.accept/1.txt"
printf 'maybe' >"$work/answer.choice.json.reject/1.txt"
echo answer.choice.json >>"$work/names"
while read -r name; do
	"$gcdc" compile "$work/$name" --quiet -o "$work/$name.gcdc" || continue
	for cut in --greedy --bytes '--random-splits 1'; do
		"$gcdc" check "$work/$name.gcdc" $cut "$work/$name.accept"/*.txt >"$work/out" 2>&1 || cat "$work/out"
		"$gcdc" check "$work/$name.gcdc" $cut --expect reject "$work/$name.reject"/*.txt >"$work/out" 2>&1 || cat "$work/out"
	done
	echo "$name: $(ls "$work/$name.accept" | wc -l) accepted, $(ls "$work/$name.reject" | wc -l) refused"
done <"$work/names"

cd "$work"
refused() {
	printf "$2" >"$1"
	"$gcdc" compile "$1" --quiet -o refused.gcdc 2>&1 | sed "s|$work/||g"
}
refused a.gbnf 'root ::= "a" obj\nobject ::= "b"\n'
refused b.gbnf 'root ::= <[7]> "a"\n'
refused c.gbnf 'root ::= * "a"\n'
refused d.gbnf 'root ::= "a\\q"\n'
refused e.gbnf 'root ::= ("a" | "b"\n'
refused f.gbnf 'rooot ::= "a"\n'
refused g.gbnf 'root ::= "a" root\n'
refused h.gbnf 'root ::= "a"{2,1}\n'
refused u.gbnf 'root ::= "a"{0}*\n'
refused i.ebnf 'root ::= "a" |\n'
refused j.ebnf 'root ::= TagDispatch(("<a>", "r"))\nr ::= "b"\n'
refused q.ebnf 'root ::= Regex("(a")\n'
refused r.ebnf 'root ::= Token(4095)\n'
refused k.ebnf 'root[most_tokens=3] ::= "a"\n'
refused s.ebnf 'root[max_chars=3] ::= ("ab")*\n'
refused t.ebnf 'root ::= r\nr[lazy] ::= "a" r "c" | "b"\n'
refused l.ebnf 'root ::= "a\nb"\n'
refused m.choice.json '["a", 3]'
refused n.choice.json '{"a": 3}'
refused o.choice.json '["a\\u0000"]'

# A byte order mark before a grammar is not of it.
for kind in gbnf ebnf; do
	printf '\xef\xbb\xbfroot ::= "a"\n' >mark.$kind
	printf a >a.txt
	"$gcdc" compile mark.$kind --quiet -o mark.gcdc && "$gcdc" check mark.gcdc a.txt
done

# A bounded rule may name itself at its end.
refused w.ebnf 'root ::= "<" r ">" s ".\\n"\nr[lazy] ::= [a-z] t | ";"\nt ::= "" | [a-z] t | "!"\ns[max_chars=2] ::= [a-z] s | ""\n'
for text in '<ab>' '<a>cd.' '<a>cde.'; do
	printf '%s\n' "$text" >w.txt
	"$gcdc" check --quiet refused.gcdc w.txt 2>/dev/null && echo "accepted: $text" || echo "refused: $text"
done

# GBNF's corners: escapes that are no characters, an empty group repeated, sets over line ends, signs at a set's edges.
printf 'root ::= "a" | "b\\uD800" | [\\uD7FF-\\uE000x] | [\\U00110000] | ()*{2}? "c" | "d" [^\n-]{0,1} [-a-]"\\x41"\r\n9--::= .' >corners.gbnf
"$gcdc" compile corners.gbnf --quiet -o corners.gcdc
mkdir -p corners/accept corners/reject
n=0
for text in a x c '\xed\x9f\xbf' '\xee\x80\x80' d-A d.aA; do printf "$text" >corners/accept/$((n += 1)).txt; done
for text in b '' d--A 'd\naA' A; do printf "$text" >corners/reject/$((n += 1)).txt; done
"$gcdc" check corners.gcdc corners/accept/*.txt | sed 's/,.*//'
"$gcdc" check corners.gcdc --expect reject corners/reject/*.txt | sed 's/:.*: /: /; s/ (.*//' | sort | uniq -c

# EBNF's escapes that are no characters match nothing, as in XGrammar; those of macros' strings are refused.
printf 'root ::= "a" | "b\\uD800" | [\\uD7FF-\\uE000x] | [^\\U00110000-\\U00110001a-z] "!"\n' >points.ebnf
"$gcdc" compile points.ebnf --quiet -o points.gcdc
mkdir -p points/accept points/reject
n=0
for text in a x '\xed\x9f\xbf' '\xee\x80\x80' 'A!'; do printf "$text" >points/accept/$((n += 1)).txt; done
for text in b '' 'a!' ; do printf "$text" >points/reject/$((n += 1)).txt; done
"$gcdc" check points.gcdc points/accept/*.txt | sed 's/,.*//'
"$gcdc" check points.gcdc --expect reject points/reject/*.txt | sed 's/:.*: /: /; s/ (.*//' | sort | uniq -c
refused v.ebnf 'root ::= Substring("a\\uD800")\n'
