class G { void f() { if (a) else b(); } }
