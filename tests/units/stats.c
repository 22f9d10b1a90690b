/* base/stats.h */
#include "unit.h"

#include "base/stats.h"

/* The summary of one group of values. */
static stats_summary summarize(size_t n, const int64_t *v)
{
	stats s = { 0 };
	stats_summary *all, one;

	for (size_t i = 0; i < n; i++)
		stats_add(&s, 0, v[i]);
	all = stats_finish(&s, 1);
	one = all[0];
	free(all);
	return one;
}

#define SUMMARY(...) summarize(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), (int64_t[]){ __VA_ARGS__ })

CASE(count_and_total)
{
	stats_summary s = SUMMARY(3, 1, 2);

	EQ(3, s.count);
	EQ(6, s.total);
	EQ(1, s.min);
	EQ(3, s.max);
}

CASE(a_group_without_values)
{
	stats_summary s = summarize(0, NULL);

	EQ(0, s.count);
	EQ(0, s.total);
	EQ(STATS_MISSING, s.mean);
	EQ(STATS_MISSING, s.p50);
	EQ(STATS_MISSING, s.min);
	EQ(STATS_MISSING, s.max);
}

CASE(means_round_half_up)
{
	EQ(2, SUMMARY(1, 2).mean);
	EQ(1, SUMMARY(1, 1, 2).mean);
	EQ(2, SUMMARY(1, 2, 2).mean);
	EQ(0, SUMMARY(0, 0, 0, 1).mean);
	EQ(-2, SUMMARY(-1, -2, -2).mean);
	EQ(-1, SUMMARY(-1, -2).mean);
	EQ(-1, SUMMARY(-1, -1, -2).mean);
}

CASE(percentiles_are_by_nearest_rank)
{
	stats_summary s = SUMMARY(10, 9, 8, 7, 6, 5, 4, 3, 2, 1);

	EQ(5, s.p50);
	EQ(9, s.p90);
	EQ(10, s.p99);
}

CASE(the_percentiles_of_one_value_are_the_value)
{
	stats_summary s = SUMMARY(42);

	EQ(42, s.p50);
	EQ(42, s.p90);
	EQ(42, s.p99);
	EQ(42, s.mean);
}

CASE(the_99th_of_a_hundred_is_not_the_largest)
{
	int64_t v[100];
	stats_summary s;

	for (int i = 0; i < 100; i++)
		v[i] = (i * 37 + 11) % 100;             /* 0 to 99, mixed */
	s = summarize(100, v);
	EQ(49, s.p50);
	EQ(89, s.p90);
	EQ(98, s.p99);
	EQ(99, s.max);
}

CASE(values_beyond_32_bits)
{
	stats_summary s = SUMMARY(5000000000, 1, 5000000002);

	EQ(5000000000, s.p50);
	EQ(5000000002, s.max);
	EQ(10000000003, s.total);
}

CASE(groups_are_apart)
{
	stats s = { 0 };
	stats_summary *sums;

	stats_add(&s, 2, 7);
	stats_add(&s, 0, 1);
	stats_add(&s, 2, 9);
	sums = stats_finish(&s, 3);
	EQ(1, sums[0].total);
	EQ(0, sums[1].count);
	EQ(16, sums[2].total);
	EQ(8, sums[2].mean);
	free(sums);
}

CASE(where_a_percentile_is)
{
	EQ(0, stats_rank(1, 50));
	EQ(0, stats_rank(2, 50));
	EQ(1, stats_rank(3, 50));
	EQ(8, stats_rank(10, 90));
	EQ(99, stats_rank(100, 100));
}

CASE(the_median_is_the_lower_one)
{
	EQ(2, stats_median((int64_t[]){ 4, 1, 2, 3 }, 4));
	EQ(3, stats_median((int64_t[]){ 9, 3, 1 }, 3));
	EQ(7, stats_median((int64_t[]){ 7 }, 1));
}

CASE(a_weight_counts_as_so_many_values)
{
	stats_weighted_summary w = stats_summarize_weighted((stats_weighted_value[]){ { 10, 1 }, { 1, 8 }, { 4, 1 } }, 3);

	EQ(10, w.weight);
	EQ(1, w.p50);
	EQ(4, w.p90);
	EQ(10, w.max);
	EQ(22, w.mean * 10);
}
