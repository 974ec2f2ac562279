/* The list of metrics in gt-pdist(1), made from their table. */
#include <stdio.h>

#include "calc/pdist/metric.h"

int main(void)
{
    const struct gt_metric *metric;
    for (int k = 0; (metric = gt_metric_at(k)); k++)
        printf(".It Cm %s\n%s (%s)\n", metric->name, metric->formula, metric->source);
    return 0;
}
