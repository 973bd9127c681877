class C { int class; }
