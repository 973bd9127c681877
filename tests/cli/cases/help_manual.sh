"$gcdc" manual --help
