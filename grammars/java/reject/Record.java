record R(int a[]) { }
