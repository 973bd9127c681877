@A(x + y = z) class C { }
