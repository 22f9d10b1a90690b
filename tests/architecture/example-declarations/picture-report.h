static notes *say;
void tools_read(const text_list *words, report_tool *to);
