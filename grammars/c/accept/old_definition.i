static unsigned hash(key, len) const void *key; register size_t len; { return len; }
int (*signal(number, f))(int) int number; int (*f)(); { return 0; }
