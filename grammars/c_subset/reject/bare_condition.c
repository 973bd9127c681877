int f()
{
	while (x) {
	}
}