package a
const (
	A = 1
	B int
)
