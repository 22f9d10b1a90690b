#include "base/printable.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

size_t printable_utf8(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 :
		s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;       /* an overlong form, a surrogate, or a code beyond Unicode */
	return n;
}

uint32_t printable_code(const char *s, size_t n)
{
	uint32_t code = (unsigned char)s[0] & (n > 1 ? 0x7fU >> n : 0x7fU);

	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)s[i] & 0x3f);
	return code;
}

/* The list has Unicode's Default_Ignorable_Code_Point, except the variation selectors FE00 to FE0F of emoji.  It also
 * has the characters that separate lines or mark annotations. */
bool printable_hides(uint32_t code)
{
	static const uint32_t from_to[][2] = {
		{ 0xad, 0xad }, { 0x34f, 0x34f }, { 0x61c, 0x61c }, { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 },
		{ 0x180b, 0x180f }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 },
		{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < sizeof from_to / sizeof *from_to; i++)
		if (code >= from_to[i][0] && code <= from_to[i][1])
			return true;
	return false;
}

size_t printable_length(const char *s)
{
	unsigned char first = (unsigned char)s[0];
	size_t n = printable_utf8(s);
	uint32_t code;

	if (first < 0x80)
		return first >= 0x20 && first != 0x7f;
	code = printable_code(s, n);
	return n && code >= 0xa0 && !printable_hides(code) ? n : 0;
}

char *printable_write_byte(char *to, char c)
{
	return to + sprintf(to, "\\x%02x", (unsigned char)c);
}

char *printable_copy(const char *s)
{
	char *out = mem_new(char, strlen(s) * PRINTABLE_BYTE + 1), *p = out;

	for (size_t n; *s; s += n ? n : 1) {
		n = printable_length(s);
		p = n ? mempcpy(p, s, n) : printable_write_byte(p, *s);
	}
	return out;
}
