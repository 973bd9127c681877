class C { boolean b = x instanceof D ++ y; }
