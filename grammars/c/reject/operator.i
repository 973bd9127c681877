int x = 1 + * ;
