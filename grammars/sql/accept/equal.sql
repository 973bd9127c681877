UPDATE t SET a == 1, (b, c) == (2, 3) WHERE a = 1 == 2;
PRAGMA cache_size == 10;
