# 1 "a.c"
typedef unsigned long size_t;
extern void *f(size_t, int (*)(const void *), char *restrict s, ...) __attribute__((nonnull(1), __format__(printf, 1, 2)));
struct s { int a : 3, *b; union { float f; } u[2]; } x = { .a = 1, .u[0].f = 2.f, };
enum e { A = 1 << 2, B, };
static inline int g(int n, size_t v[static n])
{
	size_t *p = (size_t *)f(sizeof(struct s), 0, "a" "b"), q;
	for (int i = 0; i < n; i++) if (i) continue; else break;
again:
	do { x.a++, --p; } while (p && *p != '\0');
	switch (n) { case 1 ... 3: goto again; default: ; }
	return (q)(1) ? _Generic(n, int: 1, default: 2) : (int){3} + (long)-1L;
}
_Static_assert(1, "x");
int (*(*h)(void))[3];
