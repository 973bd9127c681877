# Why: several stacks for one text, and lexemes of one parse that another one's longer lexeme forbids.
cat >"$work/g.lark" <<'END'
start: s
s: "a" s "a" | "b" s "b" | "c" | "a" "b" |
%ignore " "
END
"$gcdc" compile "$work/g.lark" --quiet -o "$work/a.gcdc" 2>&1
why() {
	printf '\n$ why'
	printf ' %q' "$@"
	echo
	"$gcdc" why "$work/a.gcdc" "$@"
}
why --prefix 'aab' --eos
why --prefix 'abc' --token a
why --prefix 'abb' --token c
why --prefix 'aabb' --token a

cat >"$work/g.lark" <<'END'
start: p "c" INT DOT INT | q "c" FLOAT | q "c" INT DOT DOT
p: "-"
q: "-"
INT: /[01]+/
DOT: "."
FLOAT: /[01]+\.[01]+/
END
"$gcdc" compile "$work/g.lark" --quiet -o "$work/a.gcdc" 2>&1
why --prefix '-c1.' --token 1
why --prefix '-c1.' --token .
why --prefix '-c1.1' --token .
why --prefix '-c1' --eos
why --prefix '-c1.1' --token 1.

# A call or a product: which of them, the text never says.
cat >"$work/g.lark" <<'END'
start: e ";"
e: e "*" e | NAME | NAME "(" e ")" | "(" e ")" | NAME e
NAME: /[a-z]+/
%ignore " "
END
"$gcdc" compile "$work/g.lark" --quiet -o "$work/a.gcdc" 2>&1
why --prefix 'f (x)' --token ')'
why --prefix 'f (x) *' --token ';'
