with (open(a) as b, open(c)):
    try:
        pass
    except* (A, B) as e:
        raise X from e
    else:
        del a.b, c[0]
    finally:
        global z
with (a, b): pass
for x, in y: continue
else: assert a, b
while a:
  break