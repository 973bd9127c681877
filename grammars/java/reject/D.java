class D { void f() { int x = (List<String) y; } }
