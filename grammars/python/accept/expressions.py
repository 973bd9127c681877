x = y = a if b else lambda *c, d=1: (yield)
(a, *b), [c.d, e[1:2, ...]] = f(*x, y=1, **z)
x @= not a < b <= c is not d in e
if (n := len(a)) > 10: print(f"{n!r:>{w}} {a['b'] + 1 = }", rb'\d' b"x", """a
"""'b')
{**a, "b": 1}; {*a, b}; {a: b for a, b in c}
-x ** -y
0x_ff + 1_000.5e-3j
fields = f'{a}{b!r:>{width}}' f"{ {1: 'x'}['y'] }{a[1](2)=}" f"""{
    a + {
        2}
}""" f'''{a
:{b}}'''
