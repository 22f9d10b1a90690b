#include "base/sums.h"

#include <string.h>

void *sums_of(sums *s, const int64_t *key)
{
	size_t i = group_of(&s->g, key);

	if (i == s->room) {
		s->room = s->room ? 2 * s->room : 16;
		s->v = mem_grow(s->v, s->room, s->size);
		memset(s->v + i * s->size, 0, (s->room - i) * s->size);
	}
	s->met = i;
	return s->v + i * s->size;
}

sums sums_join(sums *parts, size_t n, void (*add)(void *to, const void *from), par threads, stats_sum **times)
{
	sums all = sums_by(parts[0].g.width, parts[0].size);
	uint32_t **number = mem_new(uint32_t *, n);
	stats *part_times = mem_new(stats, n);

	for (size_t i = 0; i < n; i++) {
		number[i] = mem_new(uint32_t, parts[i].g.n);
		part_times[i] = parts[i].times;
		for (size_t k = 0; k < parts[i].g.n; k++) {
			const int64_t *key = sums_key(&parts[i], k);
			if (add)
				add(sums_of(&all, key), parts[i].v + k * all.size);
			number[i][k] = (uint32_t)group_of(&all.g, key);
		}
		sums_free(&parts[i]);
	}
	*times = stats_finish_parts(part_times, (const uint32_t *const *)number, n, all.g.n, threads);
	for (size_t i = 0; i < n; i++)
		free(number[i]);
	mem_free(number, part_times);
	return all;
}

void sums_free(sums *s)
{
	group_free(&s->g);
	free(s->v);
	s->v = NULL;
	s->room = 0;
}
