class H { void f() { x = a > > b; } }
