# why ARGUMENTS: shows the command, then what it prints about $work/a.gcdc
why() {
	printf '\n$ why'
	printf ' %q' "$@"
	echo
	"$gcdc" why "$work/a.gcdc" "$@"
}
