int f()
{
	else
	{
	}
}