unsigned long int long a; long unsigned typedef int T; double long _Complex d; short int unsigned e;
static const struct s b; struct s const static c; T const *p; T static q;
struct s { struct { int x; }; T y : 3; const union { int z; }; };
struct t; enum { A, B };
typedef int T;
inline static T f(T), *g(int), (*h)(void), (*k[3])(T);
