"$gcdc" compile --help
