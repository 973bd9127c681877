"$gcdc" build --help
