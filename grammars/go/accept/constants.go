package a

import (
	. "b/c-d.e"
	f `g`
)

const ()
const A, B = 1, 2
const (
	C int = iota
	D
	E, F = 1, 2;
)
