int add(int a, int b) { return a + b; }
float half(float x) { return x / 2; }
