"$gcdc" mask --help
