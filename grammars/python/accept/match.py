match x, y:
  case [1, -2.5 + 3j, *_] | {"a": b, **rest} if b:
    match = case
  case Point(x=0, y=(a | None)) as p: pass
  case _:
      match(match)
print(match [0], match.x)
match (x):
  case a.b: pass
