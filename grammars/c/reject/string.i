char *s = "a;
