#include "answer/report_write.h"

void report_html(report *r, FILE *to)
{
	(void)r;
	fputs("<!DOCTYPE html>\n", to);
}
