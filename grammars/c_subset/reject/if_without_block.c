int f()
{
	if (a == b) return 1;
}