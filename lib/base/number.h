/*
 * number - numbers, times and process ids as people write them.
 *
 *     int64_t value, unit;
 *     if (number_int("-12", &value))
 *         printf("%lld\n", (long long)value);
 *     if (number_time("1.5ms", 5, 1, &unit, &value))
 *         printf("%lld ns\n", (long long)value);         // 1500000
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read a string that consists of one whole number. */
bool number_int(const char *s, int64_t *value);

/* Is the string one number as JSON writes it: 12, -0.5, 1e-3?  Not 007, +5, .5, inf or 0x10. */
bool number_is_json(const char *s);

/* Read a string that consists of one number above 0, such as 989.5 or 1.5e12. */
bool number_positive(const char *s, double *value);

/* Read a percentage from 0 to 100, and round it.  A number of at most 1 with a decimal point is a share: 0.7 is 70. */
bool number_percent(const char *s, int64_t *value);

/* Read a time of len bytes, without rounding: a number with the unit ns, us, ms or s, or a number without a unit, which
 * is multiplied by `scale`.  *value gets nanoseconds.  *unit gets the length of the unit in nanoseconds, or 0 if the
 * text has none.  False: the text is not a time, or the time is finer than a nanosecond or out of range. */
bool number_time(const char *s, size_t len, int64_t scale, int64_t *unit, int64_t *value);

/* Read a list of non-negative times, separated by commas, into *values, which the caller frees.  Returns their number.
 * 0: it is not such a list, and *values is NULL. */
size_t number_times(const char *s, int64_t scale, int64_t **values);

/* Read a process id: PID, or PID:N, where N (share/conventions.md, "Ids") tells processes with the same pid apart.
 * *sub gets N, or -1 if there is none. */
bool number_pid(const char *s, int64_t *pid, int64_t *sub);

/* Write a process id as number_pid reads it. */
enum { NUMBER_PID_SIZE = 48 };
const char *number_pid_text(int64_t pid, int64_t sub, char buf[NUMBER_PID_SIZE]);

/* Read a number of bytes, at least 1, such as 500M, 2GB or 1.5GiB. */
bool number_size(const char *s, int64_t *bytes);

/* Write a time in milliseconds, without the unit, such as 14.0, 0.755 or 1204: three significant figures, but at most
 * six decimals, and all digits of the whole part. */
enum { NUMBER_MS_SIZE = 340 };
const char *number_ms(double ns, char buf[NUMBER_MS_SIZE]);

/* Write a number for people, such as 85.0, 4.98, 0.03 or 1204: three significant figures, but at most two decimals, and
 * all digits of the whole part. */
enum { NUMBER_AMOUNT_SIZE = 340 };
const char *number_figures(double v, char buf[NUMBER_AMOUNT_SIZE]);

/* Write an amount for people, in the unit that gives it one to three digits before the point: 672 ns, 5.37 us, 1.50
 * MiB, 1.20 GB/s.  In the largest unit it may have more digits.  `unit` is the unit of v: "ns", "bytes" or "GB/s".
 * Returns NULL for any other unit, and for NULL. */
const char *number_amount(double v, const char *unit, char buf[NUMBER_AMOUNT_SIZE]);
