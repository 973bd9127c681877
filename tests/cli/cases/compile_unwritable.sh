"$gcdc" compile $data/list.lark --tokenizer $data/tiny -o "$work/no/such/folder.gcdc" 2>&1 | sed -E 's/^(error: [^:]*:).*/\1 .../'
exit "${PIPESTATUS[0]}"
