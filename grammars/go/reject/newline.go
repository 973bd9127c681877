package p
func f() {
	g(a
	)
}
