# Why: command lines that say too little or too much, and JSON that is JSON.
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
exec 2>&1
try() {
	"$gcdc" why "$work/a.gcdc" "$@" | sed -E 's/"(l[a-z]+_state)": [0-9]+/"\1": N/g'
	echo "exit ${PIPESTATUS[0]}"
}
try
try --token a --eos
try --token ''
try --id 269
try --token-escaped '\q'
try --prefix '[12' --token a
try --id 268
try --prefix '[1' --token ']' --json
try --prefix '[1' --token '[' --json
