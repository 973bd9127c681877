# A text may be empty; and behind a character's first byte that can come to nothing there are no masks without tokens, also
# where the tokenizer has a normal form, whose marks would join the t.
exec 2>&1
mkdir "$work/t"
cat >"$work/t/tokenizer.json" <<'J'
{"added_tokens": [], "normalizer": {"type": "NFC"},
 "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false},
 "decoder": {"type": "ByteLevel"},
 "model": {"type": "BPE", "vocab": {"a": 0, "t": 1, "Ñ": 2, "ı": 3, "Ñı": 4, "aa": 5}, "merges": ["Ñ ı", "a a"]}}
J
"$gcdc" vocab "$work/t" --canonical --eos 0 -q -o "$work/v.gcdv"
"$gcdc" compile --regex 'tя' --tokenizer "$work/v.gcdv" --canonical hard -q -o "$work/a.gcdc"
"$gcdc" mask "$work/a.gcdc" --prefix t
for p in 'a*' '(?=t)t?' 't|' '()' '[^\s\S]'; do
	echo "/$p/"
	"$gcdc" compile --regex "$p" --canonical hard -q -o "$work/a.gcdc" && "$gcdc" mask "$work/a.gcdc" --limit 4
done
:
