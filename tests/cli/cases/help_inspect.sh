"$gcdc" inspect --help
