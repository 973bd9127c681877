interface I { int x; }
