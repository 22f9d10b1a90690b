#include "picture/work_category.h"
#include "step/owners.h"

#include <string.h>

uint32_t work_category(trace *t, size_t work, const rules *own, str_pool *to)
{
	const char *owner;

	if (own)
		return rules_label_work(own, str_at(&t->names, work_full(&t->work, work)), trace_is_comm(t, work), to);
	owner = owner_name(owners_by_name(t, work));
	return str_id(to, owner, strlen(owner));
}

const char *work_category_word(const rules *own)
{
	return own ? "category" : "owner";
}
