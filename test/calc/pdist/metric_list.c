/* The list of metrics in gt-pdist(1), made from their table. */
#include <stdio.h>

#include "calc/pdist/metric.h"

int main(void)
{
    const struct gt_metric *metric;
    for (int k = 0; (metric = gt_metric_at(k)); k++)
        printf(".It Cm %s\n%s (%s%s)\n", metric->name, metric->formula, metric->source,
               !metric->genotypes.values ? "; arrays only"
               : !metric->arrays.values  ? "; genotypes only"
                                         : "");
    return 0;
}
