struct { int a }
