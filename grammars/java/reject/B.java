class B { void f() { a + b; } }
