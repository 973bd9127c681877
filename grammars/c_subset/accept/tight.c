int f(int a) { return a * a - a / a + (a); }
int g() { return 1; }