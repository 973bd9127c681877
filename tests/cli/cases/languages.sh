# Every grammar that ships, from files, statements and expressions: what it must take and must not take. The tokens are the
# 256 bytes, so that compiling is quick. GCDC_LANGUAGES='calc python go sql java c' is all of them; the ordinary run leaves out the
# two that take longest.
check() {  # language, start, expectation, files...
	"$gcdc" check "$work/a.gcdc" "${@:4}" --expect "$3" --bytes --quiet >"$work/log" 2>&1 && echo "$1 $2 $3: as expected" || { echo "$1 $2 $3:"; head -n 12 "$work/log"; }
}
for language in ${GCDC_LANGUAGES:-calc python go c}; do
	"$gcdc" compile "grammars/$language/$language.lark" --tokenizer "$data/bytes" -o "$work/a.gcdc" --deterministic --quiet 2>"$work/log" || cat "$work/log"
	for expect in accept reject; do
		check $language start $expect "grammars/$language/$expect"/*
	done
done
