# Lark's import_paths: a folder where %import looks first. What is nowhere is told with the path and the option.
printf 'start: shared\n%%import .shared.shared\n' > "$work/g.lark"
"$gcdc" compile "$work/g.lark" -o "$work/g.gcdc" --quiet
echo "$?"
"$gcdc" compile "$work/g.lark" -o "$work/g.gcdc" --quiet --import-path tests/golden/grammar/imports --provenance
echo "$?"
"$gcdc" verify "$work/g.gcdc" --against "$work/g.lark" --import-path tests/golden/grammar/imports
