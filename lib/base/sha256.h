/*
 * sha256 - a digest that does not tell what it is of, for pseudonyms (FIPS 180-4).
 *
 *     uint8_t out[SHA256_BYTES];
 *     sha256("abc", 3, out);                     // ba7816bf...
 *     printf("%02x\n", out[0]);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

void sha256(const void *data, size_t n, uint8_t out[SHA256_BYTES]);
