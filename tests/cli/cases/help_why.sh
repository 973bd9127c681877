"$gcdc" why --help
