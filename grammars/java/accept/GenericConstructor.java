class C {
	<T> C(T t) { }
	<T extends Number & Comparable<T>> C(T a, T b) throws Exception { this(a); }
	<T> T same(T t) { return t; }
}
record R(int x) {
	<T> R(T t) { this(1); }
}
