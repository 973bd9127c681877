"$gcdc" verify --help
