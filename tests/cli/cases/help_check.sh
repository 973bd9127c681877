"$gcdc" check --help
