int intx(int iff)
{
	whilex = forx + returned;
	int elsey = iff;
	return floaty;
}