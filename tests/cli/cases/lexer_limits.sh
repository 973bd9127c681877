# Limits of the lexer: each error names the limit, the terminal to change and its place.
cat >"$work/states.lark" <<'END'
start: (A | B)+
A: /[ab]*a[ab]{14}x/
B: /([ab]{9})+y/
END
cat >"$work/readings.lark" <<'END'
start: (A | B)+
A: /[ab]{2,300}c/
B: /ab(?![ab]*d)/
END
"$gcdc" compile "$work/states.lark" -o "$work/x.gcdc"
"$gcdc" compile "$work/readings.lark" -o "$work/x.gcdc"
