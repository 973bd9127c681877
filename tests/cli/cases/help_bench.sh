"$gcdc" bench --help
