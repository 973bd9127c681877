async def f(y):
    return [1 async for x in y], [...async for x in y], [f(y)async for x in y]
