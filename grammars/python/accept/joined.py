total = 1 + \
    2
first
\

second
if total:
    third
    \

    fourth \

    (fifth \

     )
