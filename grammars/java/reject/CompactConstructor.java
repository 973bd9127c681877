class C { C { } }
