# gcdc build says what it has built and checked; a step that fails shows its message, its command only with --verbose.
cp $data/list.lark "$work"
cd "$work"
manifest() { printf 'grammars:\n  - file: list.lark\n    checks: {accept: ["[]", "%s"], refuse: "[", max-size: 1 MB}\n  - {file: list.lark, name: bare}\n' "$1" >gcdc.yaml; }
build() {
	"$gcdc" build -j1 "$@" 2>&1
	echo "exit $?"
}
manifest '[a]'
build
build
manifest '[b]'
build
manifest '[b'
build
build --quiet
build --keep-going --verbose | grep -c -- '--check list-default'
"$gcdc" inspect build/list-default.gcdc | grep -E 'no conflicts|stacks'
build --json
build --stamp x
