int f()
{
	for (i = 0; i < 3;) {
	}
}