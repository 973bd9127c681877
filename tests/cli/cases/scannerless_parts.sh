# Parts of GBNF and EBNF: every way to cut a text counts. Where the lexer would have to choose between a terminal of a part and another
# one, texts would be lost: refused, with both names. Elsewhere parts stand beside anything.
try() { printf "$1" >"$work/g.lark"; "$gcdc" compile "$work/g.lark" --quiet -o "$work/g.gcdc" 2>&1 && echo taken; }
try 'start: a b\na: %%gbnf { root ::= "x" [0-9]+ }\nb: %%ebnf { root ::= [0-9] "y" }\n'
try 'start: a DIGITS "y"\na: %%gbnf { root ::= "x" [0-9]* }\nDIGITS: /[0-9]+/\n'
try 'start: a "b" | b "c"\na: %%gbnf { root ::= "a" }\nb: %%gbnf { root ::= "ab" }\n'
try 'start: (NAME | a)+ ";"\na: %%gbnf { root ::= "x" [0-9]* }\nNAME: /[a-z]+/\n'
try 'start: a "b"\na: %%gbnf { root ::= "x" " "* }\n%%ignore " "\n'
try 'start: a ";" b | b\na: %%gbnf { root ::= "x" [0-9]+ }\nb: %%ebnf { root ::= [0-9] "y" }\n%%ignore " "\n'
try 'start: "a" "d" | a "c"\na: %%gbnf { root ::= "a" }\n'
try 'start: "b" a\na: %%gbnf { root ::= " " "x" }\n%%ignore " "\n'
# Beside ignored text, which is shown by its pattern, wherever it stands in the grammar.
try 'start: a "b"\na: %%ebnf { root ::= " "? "x" | "y" }\n%%ignore /[ z]/\n'
try '%%ignore BLANK\nBLANK: /[ z]/\nstart: a "b"\na: %%ebnf { root ::= " "? "x" | "y" }\n'
try 'start: a "b"\na: %%ebnf { root ::= " "? "x" | "y" }\n%%ignore BLANK\nBLANK: /[ z]/\n'
# A part's terminals are called after the rule it stands in, those of a tool's schema after the tool.
cat >"$work/names.lark" <<'EOF'
start: a "-" b
a: %gbnf { root ::= "x" [0-9]+ "y" }
b: %lark { start: WORD+
  WORD: /[a-z]+/ } | %json {"type": "array", "items": {"type": "string", "pattern": "^x+$"}}
EOF
"$gcdc" compile "$work/names.lark" --quiet -o "$work/names.gcdc"
"$gcdc" inspect "$work/names.gcdc" terminals
"$gcdc" why "$work/names.gcdc" --prefix 'x12y-["x' --token y
cat >"$work/tools.json" <<'EOF'
[{"name": "add", "parameters": {"type": "object", "properties": {"x": {"type": "number"}}}},
 {"name": "find", "parameters": {"type": "object", "properties": {"name": {"type": "string", "pattern": "^[a-z]+$"}}}}]
EOF
"$gcdc" compile "$work/tools.json" --from tools --preset qwen --quiet -o "$work/tools.gcdc"
"$gcdc" inspect "$work/tools.gcdc" terminals
