void f(int a)
{
	switch (a) {
	case 1:
	default:
	}
	end:
}
#pragma x
# 1 "a.c" 2
#
int ünï$;
