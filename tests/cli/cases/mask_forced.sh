printf 'start: "let" "it" ("be" | "bold")\n' >"$work/g.lark"
"$gcdc" compile "$work/g.lark" --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" mask "$work/a.gcdc" --prefix 'l'
"$gcdc" mask "$work/a.gcdc" --prefix 'letitbe' --json
