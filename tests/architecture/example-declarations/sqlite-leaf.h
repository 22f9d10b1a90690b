static page_file *f;
static page_list leaves;
