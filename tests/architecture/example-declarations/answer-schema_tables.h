static const schema *s;
