int sum(int n)
{
	int s = 0;
	for (int i = 0; i < n; i = i + 1) {
		s = s + i * (i - -1);
	}
	for (s = 0; s >= 3; s = s - 1) {
	}
	while (s != n) {
		s = next(s, n, 0);
	}
	return s;
}