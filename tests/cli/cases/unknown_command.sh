"$gcdc" compil
