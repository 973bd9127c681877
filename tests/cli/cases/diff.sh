# Diff: terminals, productions, tokens; texts that only one allows, languages that are the same, bounds that are met. Counts
# and bytes change with the compiler: only their headings are shown.
names() { awk '/^[a-z]/ { part = $0 } /^  / && (part == "counts" || part == "bytes in the file") { next } { print }'; }
make() { cat >"$work/$1.lark"; "$gcdc" compile "$work/$1.lark" --tokenizer $data/tiny --quiet -o "$work/$1.gcdc" 2>/dev/null; }
show() { echo "== $*"; "$gcdc" diff "$@" | names; echo "exit ${PIPESTATUS[0]}"; }
make list <$data/list.lark
sed 's/\[a-z\]+/[a-z]+[0-9]?/; s/("," item)\*/("," item)* ","?/' $data/list.lark | make more
show "$work/list.gcdc" "$work/list.gcdc"
show "$work/list.gcdc" "$work/more.gcdc"
show "$work/more.gcdc" "$work/list.gcdc" --texts 1
# The same texts, said otherwise.
printf 'start: "a" ("b" | "c") | NUM\nNUM: /[0-9]+/\n' | make one
printf 'start: AB | "a" "c" | NUM\nAB.1: "ab"\nNUM: /[0-9][0-9]*/\n' | make other
show "$work/one.gcdc" "$work/other.gcdc"
# Endless texts: no proof.
printf 'start: "a"*\n' | make left
printf 'start: | "a" start\n' | make right
show "$work/left.gcdc" "$work/right.gcdc" --bytes 20
show "$work/left.gcdc" "$work/right.gcdc" --places 5
# A whole text here, the beginning of one there; an end that is not near.
printf 'start: "a" "b"?\n' | make short
printf 'start: "a" "b"\n' | make long
show "$work/short.gcdc" "$work/long.gcdc"
show "$work/short.gcdc" "$work/long.gcdc" --places 0
"$gcdc" compile "$work/short.lark" --quiet -o "$work/vocab.gcdc"
show "$work/short.gcdc" "$work/vocab.gcdc"
"$gcdc" diff "$work/short.gcdc" "$work/long.gcdc" --json | grep -v '"a"\|"b"\|counts\|bytes'
"$gcdc" diff "$work/short.gcdc" "$work/none.gcdc" 2>&1
"$gcdc" diff "$work/short.gcdc" 2>&1
