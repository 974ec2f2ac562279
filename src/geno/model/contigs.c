#include "config.h"

#include "geno/model/contigs.h"

#include <string.h>
#include <strings.h>

/* What stays of a name without its form: "chr", zeros before it, PLINK's numbers. */
static const char *bare(const char *name)
{
    static const char *const numbers[][2] = {{"23", "X"}, {"24", "Y"}, {"25", "XY"}, {"26", "M"}, {"MT", "M"}};
    if (strncasecmp(name, "chr", 3) == 0 && name[3])
        name += 3;
    name += name[strspn(name, "0")] ? strspn(name, "0") : 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcasecmp(name, numbers[i][0]) == 0)
            return numbers[i][1];
    return name;
}

bool gt_contig_same(const char *a, const char *b)
{
    return strcasecmp(bare(a), bare(b)) == 0;
}

const char *gt_contigs_like(const struct gt_strs *contigs, const char *name)
{
    for (size_t i = 0; i < contigs->n; i++)
        if (gt_contig_same(gt_strs_get(contigs, i), name))
            return gt_strs_get(contigs, i);
    return NULL;
}

bool gt_contig_is_autosome(const char *name)
{
    static const char *const others[] = {"X", "Y", "M", "MT", "23", "24", "26"};
    if (strncasecmp(name, "chr", 3) == 0)
        name += 3;
    for (size_t i = 0; strchr("XxYyMm2", *name) && i < sizeof others / sizeof *others; i++)
        if (strcasecmp(name, others[i]) == 0)
            return false;
    return true;
}

int gt_contig_number(const char *name)
{
    static const char *const names[] = {"X", "Y", "XY", "M"};
    int number = 0;
    name = bare(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i]) == 0)
            return 23 + (int)i;
    for (const char *p = name; *p; p++) {
        if (*p < '0' || *p > '9' || p - name > 3)
            return 0;
        number = number * 10 + *p - '0';
    }
    return number;
}
