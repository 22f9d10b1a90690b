static const pattern *re;
