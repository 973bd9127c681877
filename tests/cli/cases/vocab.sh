"$gcdc" vocab $data/tiny -o "$work/v.gcdv"
"$gcdc" vocab $data/tiny --eos 1 --eos 2 --vocab-size 512 -o "$work/w.gcdv"
"$gcdc" vocab -o "$work/default.gcdv" 2>&1 | sed -E 's/, [0-9]+/, N/; s/[0-9]+ of/N of/'
"$gcdc" vocab "$work/missing.json" -o "$work/x.gcdv"
