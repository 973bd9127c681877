package p
func f() {
	if a {
	}
	else {
	}
}
