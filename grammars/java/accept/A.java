package a.b;

import static java.util.List.*;

@interface N { int v() default 1; String[] s() default {"a"}; }

public sealed abstract class A<T extends B<? super C> & D> extends E<T>.F implements G permits H {
	@SuppressWarnings(value = {"a"}) private static final int[] x = {1, 0x7f, '\n'}, y[] = new int[3][];
	static { }
	A() throws X { this(1); }
	<U> List<Map<K, V>> m(final int a, String... b) {
		var l = (List<String>) x; int i = (a < b ? c : d) >> 2 >>> (int) -e;
		for (int j = 0, k; j < n; j++, k--) if (x instanceof String s && s.a()) continue; else break;
		for (var q : qs) { }
		try (R r = new R(); s) { } catch (X | Y e) { } finally { }
		Runnable f = () -> { }, g = A::new, h = (a, b) -> a + b;
		int z = switch (a) { case 1, 2 -> 3; default -> { yield 4; } };
		switch (a) { case 1: case 2: b(); default: }
		String t = """
			text "here"
			""";
		new A<>() { }.<T>m(); return int[].class;
	}
	record P<T>(int a, @N T b) { P { } }
	enum C implements I { A(1) { }, B, ; int f; }
}
