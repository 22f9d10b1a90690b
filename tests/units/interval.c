/* base/interval.h */
#include "unit.h"

#include "base/interval.h"

static ival_set make_set(size_t n, const ival *v)
{
	return ival_union(v, n);
}

#define SET(...) make_set(sizeof((ival[]){ __VA_ARGS__ }) / sizeof(ival), (ival[]){ __VA_ARGS__ })

static void expect_set(ival_set s, ival_set expected)
{
	EQ(expected.n, s.n);
	for (size_t i = 0; i < s.n && i < expected.n; i++) {
		EQ(expected.v[i].a, s.v[i].a);
		EQ(expected.v[i].b, s.v[i].b);
	}
	ival_free(&s);
	ival_free(&expected);
}

CASE(what_is_added_in_order_is_kept_disjoint)
{
	ival_set s = { 0 };

	ival_add(&s, 10, 20);
	ival_add(&s, 15, 30);
	ival_add(&s, 40, 50);
	expect_set(s, SET({ 10, 30 }, { 40, 50 }));
}

CASE(intervals_that_touch_become_one)
{
	ival_set s = { 0 };

	ival_add(&s, 10, 20);
	ival_add(&s, 20, 30);
	EQ(1, s.n);
	EQ(20, ival_length(&s));
	ival_free(&s);
}

CASE(an_empty_interval_is_ignored)
{
	ival_set s = { 0 };

	ival_add(&s, 10, 10);
	ival_add(&s, 20, 15);
	EQ(0, s.n);
	EQ(0, ival_length(&s));
	ival_free(&s);
}

CASE(one_inside_another_changes_nothing)
{
	ival_set s = { 0 };

	ival_add(&s, 10, 100);
	ival_add(&s, 20, 30);
	ival_add(&s, 40, 100);
	expect_set(s, SET({ 10, 100 }));
}

CASE(a_union_takes_any_order)
{
	expect_set(SET({ 40, 50 }, { 10, 20 }, { 15, 41 }, { 60, 60 }, { 70, 80 }), SET({ 10, 50 }, { 70, 80 }));
}

CASE(how_much_of_a_stretch_is_covered)
{
	ival_set s = SET({ 10, 20 }, { 30, 40 });

	EQ(20, ival_within(&s, 0, 100));
	EQ(10, ival_within(&s, 15, 35));
	EQ(0, ival_within(&s, 20, 30));
	EQ(0, ival_within(&s, 35, 15));
	ival_free(&s);
}

CASE(an_index_does_not_change_what_is_covered)
{
	ival_set s = { 0 }, plain = { 0 };

	for (int64_t i = 0; i < 1000; i++) {
		ival_add(&s, 10 * i, 10 * i + 1 + i % 7);
		ival_add(&plain, 10 * i, 10 * i + 1 + i % 7);
	}
	ival_index(&s);
	for (int64_t a = 0; a < 10000; a += 77)
		EQ(ival_within(&plain, a, a * 3 / 2), ival_within(&s, a, a * 3 / 2));
	ival_free(&s);
	ival_free(&plain);
}

CASE(what_two_sets_cover_of_a_stretch)
{
	ival_set x = SET({ 0, 20 }, { 30, 50 }), y = SET({ 10, 40 });

	EQ(20, ival_within_both(&x, &y, 0, 100));
	EQ(10, ival_within_both(&x, &y, 15, 35));
	EQ(0, ival_within_both(&x, &y, 20, 30));
	ival_free(&x);
	ival_free(&y);
}

CASE(an_event_touches_what_it_overlaps)
{
	ival_set s = SET({ 10, 20 }, { 30, 40 });

	YES(ival_touches(&s, 19, 30));
	NO(ival_touches(&s, 20, 30));
	NO(ival_touches(&s, 0, 10));
	YES(ival_touches(&s, 0, 100));
	ival_free(&s);
}

CASE(an_event_of_no_length_touches_where_it_starts)
{
	ival_set s = SET({ 10, 20 });

	YES(ival_touches(&s, 10, 10));
	YES(ival_touches(&s, 19, 19));
	NO(ival_touches(&s, 20, 20));
	ival_free(&s);
}

CASE(an_event_is_held_by_one_interval)
{
	ival_set s = SET({ 10, 20 }, { 30, 40 });

	YES(ival_holds(&s, 10, 20));
	YES(ival_holds(&s, 31, 39));
	NO(ival_holds(&s, 15, 35));
	NO(ival_holds(&s, 9, 20));
	YES(ival_holds(&s, 30, 30));
	NO(ival_holds(&s, 40, 40));
	ival_free(&s);
}

CASE(the_first_that_ends_after_a_moment)
{
	ival_set s = SET({ 10, 20 }, { 30, 40 });

	EQ(0, ival_after(&s, 0));
	EQ(0, ival_after(&s, 19));
	EQ(1, ival_after(&s, 20));
	EQ(2, ival_after(&s, 40));
	ival_free(&s);
}

CASE(and_or_without)
{
	ival_set x = SET({ 0, 20 }, { 30, 50 }), y = SET({ 10, 40 }, { 45, 46 });

	expect_set(ival_and(&x, &y), SET({ 10, 20 }, { 30, 40 }, { 45, 46 }));
	expect_set(ival_or(&x, &y), SET({ 0, 50 }));
	expect_set(ival_without(&x, &y), SET({ 0, 10 }, { 40, 45 }, { 46, 50 }));
	expect_set(ival_without(&y, &x), SET({ 20, 30 }));
	ival_free(&x);
	ival_free(&y);
}

CASE(with_an_empty_set)
{
	ival_set x = SET({ 0, 20 }), none = { 0 };

	expect_set(ival_and(&x, &none), (ival_set){ 0 });
	expect_set(ival_or(&none, &x), SET({ 0, 20 }));
	expect_set(ival_without(&x, &none), SET({ 0, 20 }));
	EQ(0, ival_within(&none, 0, 9));
	NO(ival_touches(&none, 0, 9));
	ival_free(&x);
}

CASE(sums_end_at_the_greatest_number)
{
	EQ(INT64_MAX, ns_add(INT64_MAX, 1));
	EQ(INT64_MIN, ns_add(INT64_MIN, -1));
	EQ(INT64_MAX, ns_sub(INT64_MAX, -1));
	EQ(INT64_MIN, ns_sub(INT64_MIN, 1));
	EQ(3, ns_add(1, 2));
}

CASE(a_long_set_ends_at_the_greatest_length)
{
	ival_set s = { 0 };

	ival_add(&s, INT64_MIN, -1);
	ival_add(&s, 0, INT64_MAX);
	EQ(INT64_MAX, ival_length(&s));
	ival_free(&s);
}

CASE(the_hull_and_the_common_part)
{
	ival hull = ival_hull((ival){ 1, 5 }, (ival){ 7, 9 }), both = ival_cut((ival){ 1, 5 }, (ival){ 3, 9 });

	EQ(1, hull.a);
	EQ(9, hull.b);
	EQ(3, both.a);
	EQ(5, both.b);
	hull = ival_hull(IVAL_NOWHERE, (ival){ 7, 9 });
	EQ(7, hull.a);
	EQ(9, hull.b);
}
