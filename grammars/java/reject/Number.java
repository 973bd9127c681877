class C { int x = 1.foo; }
