class C { public static public int x; }
