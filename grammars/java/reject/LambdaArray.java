class C { F f = (A<B> b[]) -> 1; }
