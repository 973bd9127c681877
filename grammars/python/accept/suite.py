import os, sys as system
from . import a
from ..b.c import (d as e, f,)


class A(B, metaclass=M):
    """Text."""

    x: int = 3

    @property
    async def f(self, a, /, b: int = 1, *args, c, d=2, **kw) -> "A":
        async with g() as h, k as (m, n):
            return [i async for i in x if i]
	
# comment
    def g(self): pass; return
