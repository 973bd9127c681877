# Behind x the parser makes p of it before k), q before k]. Tops that reduce first share what tokens allow where all that
# a token may end as asks for the same reduction: not here, where one of them may end as either.
cat >"$work/apart.lark" <<'END'
start: p "k)" ";" | q "k]" ";"
p: X | Y "a"
q: X | Y "b"
X: "x"
Y: "y"
END
"$gcdc" compile "$work/apart.lark" --quiet --budget off -o "$work/apart.gcdc"
"$gcdc" mask "$work/apart.gcdc" --prefix 'xk'
# And here it asks for the same one, twice: both keys that stand before c are left out.
cat >"$work/chain.lark" <<'END'
start: second "ck)" ";"
second: first | first "bk)" ";"
first: X | X "ak)" ";"
X: "x"
END
"$gcdc" compile "$work/chain.lark" --quiet --budget off -o "$work/chain.gcdc"
for prefix in xa xb xc 'xak);c' 'xak);b'; do "$gcdc" mask "$work/chain.gcdc" --prefix "$prefix" | tail -n +2; done
