int f(void)
{
	__asm__ volatile ("nop" : "=r" (x) : [a] "m" (y) : "memory");
	return ({ int a = 1; a; }) ?: __builtin_offsetof(struct s, a[1]);
}
