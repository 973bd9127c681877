"$gcdc" --help
