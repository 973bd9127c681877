class C { void f() { private int x; } }
