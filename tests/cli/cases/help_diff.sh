"$gcdc" diff --help
