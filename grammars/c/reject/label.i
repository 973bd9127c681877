void f(void) { a: }}
