# Text that is ignored inside rules, grammars inside grammars, texts with bounds: the examples of formats/grammar.md; then
# what of llguidance's dialect is refused, by name.
awk -v to="$work" '/^    #### /{ name = $2; next } /^[^ ]/{ name = "" } name { sub(/^    /, ""); print > (to "/" name ".lark") }' formats/grammar.md
for name in scoped nested bounded; do
	"$gcdc" compile "$work/$name.lark" --quiet -o "$work/$name.gcdc" || cat "$work/$name.lark"
done
verdict() { # ARTIFACT TEXT
	printf "$2" >"$work/x.txt"
	if "$gcdc" check --quiet "$work/$1.gcdc" "$work/x.txt" 2>&1; then echo "accepted by $1: $2"; else echo "refused by $1: $2"; fi
}
verdict scoped 'call < a a > end'
verdict scoped ' call<\na\n(\n)\n(<\n>) >end '
verdict scoped 'call\n<a>end'
verdict scoped 'call<a>\nend'
verdict nested 'abc.<tool>{"city": "x"}</tool>.def'
verdict nested '<tool> {"city": "x"}</tool>'
verdict nested '<tool>.{"city":"x"}.</tool>'
verdict nested '<tool>{."city":"x"}</tool>'
verdict nested '<calc>.1 + (2+ab).</calc>'
verdict nested '<calc>1.+2</calc>'
verdict nested '<calc> 1</calc>'
verdict nested '<calc>let x</calc>'
verdict nested '<calc>let let</calc>'
verdict nested 'let.let'
verdict nested '<code>x12"};'
verdict nested '<code>x12.34"};'
verdict bounded '<think>so</think>yes'
verdict bounded '<think></think>no'
verdict bounded '<think>12345678901234567890</think>no'
verdict bounded '<think>123456789012345678901</think>no'
verdict bounded '<think>a</think>b</think>no'
verdict bounded '<think>a<think>b</think>no'

# A bound in bytes: a character that has two counts twice; what stops the text does not count.
printf 'start: "<" text\ntext[stop=";", max_bytes=4]: /[a-zé]*/\n' >"$work/bytes.lark"
"$gcdc" compile "$work/bytes.lark" --quiet -o "$work/bytes.gcdc"
verdict bytes '<;'
verdict bytes '<abcd;'
verdict bytes '<abcde;'
verdict bytes '<éé;'
verdict bytes '<éaé;'

# One pattern that is ignored inside two rules is one terminal: neither takes it from the other.
printf 'start: ra | rb\nra: "b" "a" "c"\nrb: "b" "a"\n%%ignore "\\n" inside ra\n%%ignore "\\n" inside rb\n' >"$work/two.lark"
"$gcdc" compile "$work/two.lark" --quiet -o "$work/two.gcdc"
verdict two 'b\na'
verdict two 'b\na\nc'

# llguidance's lazy texts, which end where they first may, and bounds in braces.
printf 'start: (a "!")+\na[lazy]: /.*;/ | "<<" "<"?\n' >"$work/lazy.lark"
printf 'start: A{2,} | ("b" x){1,2} C{2}\nx: "x" | "y"\nA: "a"\nC: "c"{1,2} "."\n' >"$work/braces.lark"
for name in lazy braces; do "$gcdc" compile "$work/$name.lark" --quiet -o "$work/$name.gcdc"; done
for text in 'a;!' 'a;b;!' '<<!x;!' '<<<!' ';!'; do verdict lazy "$text"; done
for text in a aa aaaa bxc.cc. bxbyc.c. bxbxbxc.c. bxc.; do verdict braces "$text"; done

refused() {
	printf '%b\n' "$1" >"$work/bad.lark"
	"$gcdc" compile "$work/bad.lark" --quiet -o "$work/x.gcdc" 2>&1 | grep -m1 'error:\|note:\|a text' | sed 's/^.*error/error/'
}
refused 'start: t\nt[max_tokens=0]: /.+/'
refused 'start: t\nt[lazy="x"]: /.+/'
refused 'start: "a"{3,2}'
refused 'start: "a"{2}+'
refused 'start: A{b}\nA: "a"'
refused 'start: t\nt[stop_capture="x"]: /.+/'
refused 'start: %regex {"substring_chars": "abc"}'
refused '%llguidance {"allow_initial_skip": true}\nstart: "a"'
refused 'start: @other'
refused 'start: %json {"type": 7}'
refused 'start: %lark {start: "a" b}'
refused 'start: %json {"type": "null"'
refused 'start: A\nA: %json {}'
refused 'start: "a"\n%ignore " " inside nothing'
refused 'start: %lark {\nstart: x\n%import .other.x\n}'
refused 'start: "(" "a" ")"\n%ignore " " inside "(" ")"\n%ignore "\\n" inside start'

# An error inside a part says its line and column of the file.
printf 'start: "a" b\nb: %%lark {\n  start: c %%json {\n    "type": 7}\n  c: d\n}\n' >"$work/place.lark"
"$gcdc" compile "$work/place.lark" --quiet -o "$work/x.gcdc" 2>&1 | grep -v '^  |'

# At most 32 blanks in a row inside a schema: beside text, beside counted tokens, beside control tokens; and in a schema
# inside a grammar inside another one. Those around it are of the grammar around.
list='%json {"type": "array", "items": {"type": "integer"}}'
printf 'start: "ab!" %s WORD?\nWORD: /[a-z]+/\n%%ignore " "\n' "$list" >"$work/in_text.lark"
printf 'start: t %s\nt[suffix="!", max_tokens=9]: /[a-z]*/\n' "$list" >"$work/counted.lark"
printf 'start: "ab!" %s | <[257]>\n' "$list" >"$work/control.lark"
sed 's/"added_tokens": \[/&{"id": 257, "content": "<one>", "special": true}, /' "$data/bytes/tokenizer.json" >"$work/tokenizer.json"
printf 'start: "ab!" %%lark {start: %s}\n' "$list" >"$work/deeper.lark"
for name in in_text counted control deeper; do
	"$gcdc" compile "$work/$name.lark" --tokenizer "$work/tokenizer.json" --eos '<eos>' --quiet -o "$work/$name.gcdc"
	for n in 32 33; do verdict $name "ab![1,$(printf '%*s' $n '')2$(printf '%*s' $n '')]"; done
done | grep -v ' note: no --tokenizer'
verdict in_text "ab!$(printf '%70s' '')[1,$(printf '%32s' '')2]$(printf '%70s' '')x" | grep -v ' note: no --tokenizer'

# A stop that what follows begins with again: llguidance reads one for both. suffix comes twice.
for word in stop suffix; do
	printf 'start: "<" text? [" "] behind\nbehind: "x" | _END "!"\n_END: "</t>"\ntext[capture, %s="</t>"]: /[a-z]*/\n' $word >"$work/$word.lark"
	"$gcdc" compile "$work/$word.lark" --quiet -o "$work/$word.gcdc" 2>&1 | sed "s|$work/||"
	[ -e "$work/$word.gcdc" ] && echo "$word: taken"
done
# What stands behind it is looked for outside of its rule, too: behind what may be empty, in the next round, as a regex.
while read -r rules; do
	printf '%b\ntext[stop=";"]: /[a-z]*/\n' "$rules" >"$work/behind.lark"
	echo "$rules: $("$gcdc" compile "$work/behind.lark" --quiet -o "$work/behind.gcdc" 2>&1 | grep -c 'has its stop in it already')"
done <<'RULES'
start: a ";"\na: "x" text
start: a "y" ";"\na: "x" text
start: text b ";"\nb: c? d\nc: "y"\nd: "z" | ""
start: text b ";"\nb: "y" | c c\nc: "z"?
start: text b ";"\nb: "y" c\nc: "z"?
start: text b ";"\nd: "z" | ""\nb: d
start: text b\nb: "x" ";"
start: (";" text)+
start: (";" text)?
start: ("q" text)+ "x"
start: ("q" text)+ ";"
start: text /;x/
start: text /x;/
start: a b\na: text | "y"\nb: "z" | c\nc: ";z"
start: a ";"\na: b\nb: "x" (text | "y")
start: a "x"\na: text | text "," a
RULES
