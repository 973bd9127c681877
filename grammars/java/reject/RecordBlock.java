record R() { { } }
