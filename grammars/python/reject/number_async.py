async def f(y):
    return [1async for x in y]
