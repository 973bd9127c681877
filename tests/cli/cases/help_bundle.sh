"$gcdc" bundle --help
