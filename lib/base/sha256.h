/*
 * sha256 - a digest that does not reveal its input, for pseudonyms and checksums (FIPS 180-4).
 *
 *     char text[SHA256_TEXT];
 *     puts(sha256("abc", 3, text));              // ba7816bf..., 64 digits
 */
#pragma once

#include <stddef.h>

enum { SHA256_TEXT = 65 };

const char *sha256(const void *data, size_t n, char text[SHA256_TEXT]);
