typedef long T; typedef struct { int a; } U;
T f(T x, void *y, void (*g)(T), U *v) { x = (T)(char *)y; g((T)(void (*)(void)) y); return (T)(struct s){1} + (T)(U *)v; }
