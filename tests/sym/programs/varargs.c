/* Variadic functions, interpreted and native, va_list passed on. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct pair { long a; double b; };
struct large { long v[5]; };

__attribute__((noinline)) static long sum(int n, ...)
{
	va_list ap;
	va_start(ap, n);
	long s = 0;
	for (int i = 0; i < n; i++)
		s += va_arg(ap, long);
	va_end(ap);
	return s;
}

__attribute__((noinline)) static double mixed(const char *kinds, ...)
{
	va_list ap, again;
	va_start(ap, kinds);
	va_copy(again, ap);
	double s = 0;
	for (int pass = 0; pass < 2; pass++) {
		va_list *l = pass ? &again : &ap;
		for (const char *k = kinds; *k; k++)
			switch (*k) {
			case 'i': s += va_arg(*l, int); break;
			case 'd': s += va_arg(*l, double); break;
			case 'l': s += (double)va_arg(*l, long); break;
			case 'L': s += (double)va_arg(*l, long double); break;
			case 's': s += (double)strlen(va_arg(*l, char *)); break;
			case 'p': { struct pair p = va_arg(*l, struct pair); s += (double)p.a * p.b; break; }
			case 'g': { struct large g = va_arg(*l, struct large); s += (double)(g.v[0] + g.v[4]); break; }
			}
	}
	va_end(ap);
	va_end(again);
	return s;
}

__attribute__((noinline)) static void print(const char *format, ...)
{
	va_list ap;
	char text[200];
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	puts(text);
}

int main(void)
{
	printf("%ld\n", sum(10, 1l, 2l, 3l, 4l, 5l, 6l, 7l, 8l, 9l, 10l));
	struct pair p = {3, 2.5};
	struct large g = {{1, 2, 3, 4, 5}};
	printf("%g\n", mixed("idlsLpgidp", -1, 2.5, 3l, "four", 5.25L, p, g, 7, 8.5, p));
	print("%d %s %g %ld %Lg %c", 1, "two", 3.5, 4l, 5.5L, '6');
	print("%d %d %d %d %d %d %d %d %g %g %g %g %g %g %g %g %g %g", 1, 2, 3, 4, 5, 6, 7, 8, 1., 2., 3., 4., 5.,
	      6., 7., 8., 9., 10.);
	printf("%d %d %d %d %d %d %d %d %g %g %g %g %g %g %g %g %g %g %Lg\n", 1, 2, 3, 4, 5, 6, 7, 8, 1., 2., 3., 4.,
	       5., 6., 7., 8., 9., 10., 11.5L);
	return 0;
}
