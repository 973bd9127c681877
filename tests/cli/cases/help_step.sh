"$gcdc" step --help
