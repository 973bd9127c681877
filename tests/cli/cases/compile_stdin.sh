# A grammar or a schema from standard input: the same bytes as from a file; references, places of errors, dependencies.
cd "$work" || exit
gcdc=$(cd "$OLDPWD" && realpath "$gcdc")
echo '{"type": "string", "minLength": 1}' >name.schema.json
"$gcdc" compile - --from json-schema -q -o piped.gcdc <name.schema.json
"$gcdc" compile name.schema.json -q -o named.gcdc
cmp piped.gcdc named.gcdc && echo same
echo '{"$ref": "name.schema.json"}' | "$gcdc" compile - --from json-schema -q --depfile d -o reference.gcdc && cat d
echo '{"type": "strin"}' | "$gcdc" compile - --from json-schema -q -o x.gcdc 2>&1
echo "exit $?"
echo 'start: "a"' | "$gcdc" compile - -o x.gcdc 2>&1
echo "exit $?"
echo 'start: "a"' | "$gcdc" compile - --from lark --provenance -o x.gcdc 2>&1
echo "exit $?"
ls
