"$gcdc" vocab --help
