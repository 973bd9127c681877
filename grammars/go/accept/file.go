package p

import (
	"a"
	. "b"
)

// T is.
type T[K comparable, V ~int | string] struct {
	a, b int `tag`
	m map[K][]V
	*E
	f func(int, ...string) (x, y int)
}

func (t *T[K, V]) F(a, b int, c ...[]byte) (n int, err error) {
	if x, ok := t.m[k]; !ok && x != nil {
		return 1, nil
	} else if (T{}) == y {
	}
L:
	for i := 0; i < 10; i++ {
		continue L
	}
	for range []int{1, 2} {
	}
	switch y := x.(type) {
	case nil, *T, []int:
		fallthrough
	default:
	}
	select {
	case v, ok := <-c:
	case c <- 1:
	}
	go func() { x++ }()
	defer f(a,
		b...)
	x = map[string]struct{ a int }{"a": {1}, "b": {}}
	return
}
