@A static public final @B synchronized strictfp class C {
    final private transient volatile int x = 1;
    private native static void f(final @A int a, @A final int... b);
    void g(List<Supplier<List<String>>> s) { @A final int i = 1; abstract class D { } h(ArrayList<String>::new, 1 > 2 ? 3 : 0x1p3f); }
}
