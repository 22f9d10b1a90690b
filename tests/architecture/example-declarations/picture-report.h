static notes *say;
void tools_parse_command(const text_list *words, report_tool *to);
