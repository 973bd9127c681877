package a.b;

public abstract sealed class Members<T> permits C, Members.D {
	int x = y++ ++, z = a - - b, w = -- -- a;
	Object o = new D(1) { int a; { a = 1; } static { } <A> A f() { return null; } };
	Members(int... a) { }
	public <A> Members(A a, final @B int b[], Object... c) throws E { }
	void f(Members<T> this, int a) { boolean b = a instanceof D d && c || e instanceof int[] == f; }
	int g()[] { return map(Class<?>[]::new, List<T>::new, a < b, c > d, (Class<?>[]) e, (A<B, C>[]) f, (A<B>[] a, int... b) -> 1); }

	@A static non-sealed class D extends Members<D> { strictfp abstract class E { } }

	interface I {
		int A = 1, B[] = { 1, 2 };
		List<String>[] C = null;
		<T> void f();
		default int g() { return A; }
		private static void h() { }
		sealed interface J extends I, K permits L { }
		enum L implements J { A(1) { void f() { } }, @Deprecated B; L() { } int x; }
	}

	@interface N { int value() default 1; String[] names() default { }; int X = 1; }

	record R<T>(@A int a, T... b) implements I {
		static int x, y = 1;
		private static final Object[] z[] = { };
		static { }
		public R { a = 1; }
		private <A> R(A a) { this(1); }
		R(int... a) { float f = 3.4028235e+38f + 1.17549435E-38f + 1e10f + 12.5e-20F, g = 1e300 + .5e-7d + 1.5e-0017 + 1.7976931348623157e+308; }
		T f(int a)[] { return null; }
	}
}
