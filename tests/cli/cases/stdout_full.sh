# What cannot be written is not success.
[ -c /dev/full ] || exit 74
"$gcdc" --help >/dev/full 2>/dev/null
