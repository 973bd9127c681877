"""python -m gcdc: the program that came with the package, with these arguments."""
import os
import sys

from . import program

if __name__ == "__main__":
    path = program()
    os.execv(path, [path, *sys.argv[1:]])
