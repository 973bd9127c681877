class F { int x = 99999999999; }
