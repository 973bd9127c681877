void main()
{
	f();
	g(1);
	h(f(), g(1, 2), (3));
	int y = f() + g(-1);
}