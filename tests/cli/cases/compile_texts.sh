# Steps that texts make are kept; masks stay as they are. Texts of another language are refused with their place.
cat >"$work/blocks.lark" <<'END'
start: s+
s: NAME "(" [NAME ("," NAME)*] ")" NL | NAME ":" NL IN s+ DE
NAME: /[a-z]+/
NL: /(\n[ ]*)+/
%indent newline=NL indent=IN dedent=DE open=LPAR close=RPAR tab=8
%ignore / +/
END
mkdir "$work/texts" "$work/none" "$work/bad"
printf 'f(a, b)\ng:\n    h(x)\n    i:\n        j()\n' >"$work/texts/b.txt"
printf 'f()\n' >"$work/texts/a.txt"
printf 'f(a,\n b))\n' >"$work/bad/bad.txt"
printf 'f(a' >"$work/bad/short.txt"
compile() { "$gcdc" compile "$work/blocks.lark" "$@" 2>&1 | sed -E "s|$work/||g; s/[0-9]+ bytes.*/N bytes/; s/[0-9]+ steps/N steps/; s/[0-9]+ of them/N of them/; s/ up, .*//"; }
compile -o "$work/plain.gcdc" --quiet
compile -o "$work/kept.gcdc" --texts "$work/texts"
compile -o "$work/one.gcdc" --texts "$work/texts/b.txt" | grep -c 'are kept'
compile -o "$work/small.gcdc" --texts "$work/texts" --texts-limit 1 | grep -o 'texts.*steps are kept'
for j in 1 2; do "$gcdc" compile "$work/blocks.lark" -o "$work/j$j.gcdc" --texts "$work/texts" -j $j --quiet; done
cmp "$work/j1.gcdc" "$work/j2.gcdc" && cmp "$work/j1.gcdc" "$work/kept.gcdc" && echo same bytes
[ $(stat -c %s "$work/kept.gcdc") -gt $(stat -c %s "$work/plain.gcdc") ] && echo larger
[ $(($(stat -c %s "$work/small.gcdc") - $(stat -c %s "$work/plain.gcdc"))) -le 1024 ] && echo within the limit
mask() { "$gcdc" mask "$work/$1.gcdc" --prefix "$2" --budget "$3" --all | sha256sum; }
for prefix in '' 'g:' 'f(a' $'g:\n  h()\n'; do
	for n in 9 10 12; do [ "$(mask plain "$prefix" $n)" = "$(mask kept "$prefix" $n)" ] || echo "$prefix, $n: another mask"; done
done
"$gcdc" inspect "$work/kept.gcdc" | grep -oE '^budgets  .*made|^kept_[a-z]*' | sed -E 's/[0-9,]+ steps/N steps/' | sort
for mode in soft hard; do "$gcdc" compile "$work/blocks.lark" -o "$work/canonical.gcdc" --texts "$work/texts" --canonical $mode 2>&1 | grep -c "are kept"; done
for bad in bad/bad.txt bad/short.txt none missing; do
	"$gcdc" compile "$work/blocks.lark" -o "$work/plain.gcdc" --texts "$work/$bad" --quiet 2>&1 | sed "s|$work/||g"
	echo "exit ${PIPESTATUS[0]}"
done
"$gcdc" compile $data/list.lark -o "$work/list.gcdc" --texts "$work/bad" 2>&1 | sed "s|$work/||g" | head -1
printf '[a, b]' >"$work/texts/list.txt"
"$gcdc" compile $data/list.lark -o "$work/list.gcdc" --texts "$work/texts/list.txt" 2>&1 | grep -o 'nothing was.*'
"$gcdc" compile $data/list.lark -o "$work/list.gcdc" --texts "$work/texts/list.txt" --budget off 2>&1 | grep -o 'nothing was.*'
# A build makes the artifact again when a text changes, or one more is there.
mkdir "$work/build"
cp -r "$work/blocks.lark" "$work/texts" "$work/build"
rm "$work/build/texts/list.txt"
printf 'grammars: [{file: blocks.lark, options: {texts: texts}}]\n' >"$work/build/gcdc.yaml"
build() { "$gcdc" build "$work/build/gcdc.yaml" | tail -n 1; }
build
build
printf 'f(x)\n' >"$work/build/texts/a.txt"
build
printf 'f(x)\n' >"$work/build/texts/c.txt"
build
"$gcdc" compile "$work/blocks.lark" -o "$work/d.gcdc" --texts "$work/build/texts" --depfile "$work/d.d" --quiet 2>/dev/null
grep -c texts "$work/d.d"
