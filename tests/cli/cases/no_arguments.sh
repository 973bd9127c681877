"$gcdc"
