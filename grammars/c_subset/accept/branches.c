char c(char x)
{
	if (x == 65) {
		return x;
	} else {
		if (x <= 3) {
			log();
		}
	}
	return -x;
}