# The texts that --regex matches as a whole: a lazy quantifier ends no text early there, as it does not in Python's fullmatch.
# In a Lark grammar, and in a part of one, it does: the lexer asks where a lexeme ends.
exec 2>&1
printf aaa >"$work/aaa"
printf '<b></b></b>' >"$work/b"
"$gcdc" compile --regex 'a+?' -q -o "$work/a.gcdc" && "$gcdc" check "$work/a.gcdc" "$work/aaa"
"$gcdc" compile --regex '(?s)<b>.*?</b>' -q -o "$work/b.gcdc" && "$gcdc" check "$work/b.gcdc" "$work/b"
printf '(a|aa)??a??\n' >"$work/empty.regex"
"$gcdc" compile "$work/empty.regex" -q -o "$work/a.gcdc" && "$gcdc" check "$work/a.gcdc" "$work/aaa"
printf 'start: /a+?/\n' >"$work/a.lark"
"$gcdc" compile "$work/a.lark" -q -o "$work/a.gcdc" && "$gcdc" check "$work/a.gcdc" "$work/aaa"
# Nothing stands before the whole text or behind it, so some lookarounds hold nowhere.
for pattern in 'a(?=b)' '(?<=x)a' '(?<=x)a(?=b)' 'a\B' 'a(?=b)|c' '(?<!x)a(?!b)' '(a(?=b))?' 'a(?=\Z|b)'; do
	"$gcdc" compile --regex "$pattern" -q -o "$work/a.gcdc" && "$gcdc" sample "$work/a.gcdc" --count 2 --seed 1
done
# Flag x: a newline of the pattern is no text there, and ends a comment.
printf '(?x) [0-9]+  # a number\n  ( \\. [0-9]+ )?  # a/b\n [\n]\\\n\n' >"$work/verbose.regex"
printf '12.5\n\n' >"$work/number"
"$gcdc" compile "$work/verbose.regex" -q -o "$work/a.gcdc" && "$gcdc" check "$work/a.gcdc" "$work/number"
"$gcdc" compile --regex '(?x) a
 (b' -q -o "$work/a.gcdc"
# What an editor puts into a file is not of the pattern: a byte order mark, the end of its line.
printf '\xef\xbb\xbfa+\r\n' >"$work/windows.regex"
"$gcdc" compile "$work/windows.regex" -q -o "$work/a.gcdc" && "$gcdc" check "$work/a.gcdc" "$work/aaa"
:
