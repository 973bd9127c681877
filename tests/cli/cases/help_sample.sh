"$gcdc" sample --help
