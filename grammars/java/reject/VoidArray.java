class C { void f()[] { } }
