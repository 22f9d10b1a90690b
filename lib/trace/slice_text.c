#include "trace/slice_text.h"
#include "base/sha256.h"

#include <stdbool.h>
#include <string.h>

/* What can stand before a path, and after it. */
static const char around[] = " \t\n\"'=,;:()[]{}<>|";

static bool begins_path(const char *word)
{
	return *word == '/' || strncmp(word, "~/", 2) == 0 || strncmp(word, "./", 2) == 0 || strncmp(word, "../", 3) ==
		0 ||
		*word == '\\' || (*word && word[1] == ':' && (word[2] == '\\' || word[2] == '/'));
}

/* What stays of its folders: whose code it is, for share/rules/frames.tsv.  No longer than what goes. */
static const char *kept_folder(const char *path, size_t n)
{
	if (memmem(path, n, "/site-packages/", 15) || memmem(path, n, "/dist-packages/", 15))
		return "site-packages/";
	return memmem(path, n, "/lib/python3", 12) ? "lib/python/" : "";
}

const char *slice_text_last(const char *text, arena *texts)
{
	char *out = arena_copy(texts, text), *to = out;

	while (*text) {
		size_t apart = strspn(text, around), n;
		memmove(to, text, apart);
		to += apart;
		text += apart;
		n = strcspn(text, around);
		if (begins_path(text)) {
			const char *end;
			n = *text && text[1] == ':' ? 2 + strcspn(text + 2, around) : n;
			for (end = text + n; n > 1 && (end[-1] == '/' || end[-1] == '\\'); end--)
				n--;            /* a folder: its own name stays */
			while (end > text && end[-1] != '/' && end[-1] != '\\')
				end--;
			n -= (size_t)(end - text);
			to = stpcpy(to, kept_folder(text, (size_t)(end - text)));
			text = end;
		}
		memmove(to, text, n);
		to += n;
		text += n;
	}
	*to = 0;
	return out;
}

const char *slice_text_uuid(const char *uuid, arena *texts)
{
	const char *prefix = strncmp(uuid, "GPU-", 4) == 0 ? "GPU-" : "", *digits = uuid + strlen(prefix);
	uint8_t d[SHA256_BYTES];

	if (!digits[strspn(digits, "0-")])
		return uuid;
	sha256(digits, strlen(digits), d);
	return arena_printf(texts, "%s%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", prefix,
			    d[0], d[1], d[2],
			    d[3], d[4], d[5], d[6], d[7], d[8], d[9], d[10], d[11], d[12], d[13], d[14], d[15]);
}

const char *slice_text_host(const char *host, arena *texts)
{
	uint8_t d[SHA256_BYTES];

	sha256(host, strlen(host), d);
	return arena_printf(texts, "host-%02x%02x%02x%02x", d[0], d[1], d[2], d[3]);
}
