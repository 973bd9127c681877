extern f(int a);
