# The examples of docs/json-schema.md.
mkdir -p "$work/examples" && here=$PWD
sed -n '/^```sh$/,/^```$/p' docs/json-schema.md | grep -v '^```' >"$work/examples.sh"
cd "$work/examples" || exit
gcdc() { case $gcdc in /*) "$gcdc" "$@" ;; *) "$here/$gcdc" "$@" ;; esac; }
. "$work/examples.sh"
