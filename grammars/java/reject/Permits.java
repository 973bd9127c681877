class C permits D { }
