#include "base/name_numbers.h"

#include <string.h>

enum { DIGITS = 18 };           /* so many digits always fit into an int64_t */

static size_t name_numbers_count_digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* Are two names equal except for the digits of their numbers?  The numbers may differ in length. */
static bool name_numbers_is_alike(const char *a, const char *b)
{
	while (*a && *b) {
		size_t na = name_numbers_count_digits(a), nb = name_numbers_count_digits(b);
		if (!na != !nb || (!na && *a != *b))
			return false;
		a += na ? na : 1;
		b += nb ? nb : 1;
	}
	return *a == *b;
}

/* Read the number at index `place` among the numbers of a name.  False: there is none, or it has more than DIGITS
 * digits. */
static bool name_numbers_read_number(const char *s, size_t place, int64_t *number)
{
	size_t n;

	for (s += strcspn(s, "0123456789"); place--; s += strcspn(s, "0123456789"))
		s += name_numbers_count_digits(s);
	n = name_numbers_count_digits(s);
	*number = 0;
	for (size_t i = 0; i < n && n <= DIGITS; i++)
		*number = 10 * *number + s[i] - '0';
	return n && n <= DIGITS;
}

static bool name_numbers_counts_up(const char *const *names, size_t n, size_t place, int64_t *number)
{
	for (size_t i = 0; i < n; i++)
		if (!name_numbers_read_number(names[i], place, &number[i]) || (i && number[i] <= number[i - 1]))
			return false;
	return true;
}

bool name_numbers(const char *const *names, size_t n, int64_t *number)
{
	enum { PLACES = 16 };

	for (size_t i = 1; i < n; i++)
		if (!name_numbers_is_alike(names[0], names[i]))
			return false;
	for (size_t place = 0; n > 1 && place < PLACES; place++)
		if (name_numbers_counts_up(names, n, place, number))
			return true;
	return false;
}
