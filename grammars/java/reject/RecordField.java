record R() { int x; }
