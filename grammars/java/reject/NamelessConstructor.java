class C { Object o = new D() { D() { } }; }
