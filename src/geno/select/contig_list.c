#include "config.h"

#include "geno/select/contig_list.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/mem.h"
#include "geno/model/contigs.h"

struct range {
    int from, to;
};

struct gt_contig_list {
    bool excluded, autosomes;
    struct gt_names *names; /* of contigs to keep */
    struct gt_strs others;  /* of contigs to exclude */
    struct range *ranges;
    size_t n_ranges, cap_ranges;
};

bool gt_contig_list_excludes(const char *text)
{
    return *text == '^';
}

/* The number that the n bytes are, with or without "chr"; 0 = none. */
static int chromosome(const char *p, size_t n)
{
    int number = 0;
    if (n > 3 && strncasecmp(p, "chr", 3) == 0) {
        p += 3;
        n -= 3;
    }
    if (n < 1 || n > 4 || *p == '0')
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9')
            return 0;
        number = number * 10 + p[i] - '0';
    }
    return number;
}

static bool is_range(const char *item, size_t n, struct range *range)
{
    const char *dash = memchr(item, '-', n);
    if (!dash)
        return false;
    *range = (struct range){chromosome(item, (size_t)(dash - item)), chromosome(dash + 1, (size_t)(item + n - dash - 1))};
    return range->from > 0 && range->to >= range->from;
}

static int add_item(struct gt_contig_list *list, const char *item, size_t n, const struct gt_names *known, int64_t *named,
                    struct gt_strs *absent, struct gt_err *err)
{
    struct range range;
    int64_t had = 0;
    const bool here = gt_names_find(known, item, n) >= 0;
    if (!here && is_range(item, n, &range)) {
        int status = gt_grow(&list->ranges, &list->cap_ranges, list->n_ranges + 1, sizeof range, err);
        if (!status)
            list->ranges[list->n_ranges++] = range;
        ++*named;
        return status;
    }
    int status = gt_names_add(list->names, item, n, 0, &had, err);
    if (!status && list->excluded)
        status = gt_strs_add(&list->others, item, n, err);
    *named += had < 0;
    return status || here || had >= 0 ? status : gt_strs_add(absent, item, n, err);
}

static int add_items(struct gt_contig_list *list, const char *text, const struct gt_names *known, int64_t *named, struct gt_strs *absent,
                     struct gt_err *err)
{
    int status = GT_OK;
    list->autosomes = strcmp(text, "autosomes") == 0;
    for (const char *p = text; !status && !list->autosomes; p++) {
        const size_t n = strcspn(p, ",");
        status = n ? add_item(list, p, n, known, named, absent, err) : gt_fail(err, GT_USAGE, "a contig name in '%s' is empty", text);
        p += n;
        if (!*p)
            break;
    }
    return status;
}

int gt_contig_list_parse(struct gt_contig_list **out, const char *text, bool excluded, const struct gt_names *known, int64_t *named,
                         struct gt_strs *absent, struct gt_err *err)
{
    struct gt_contig_list *list = gt_alloc(1, sizeof *list, err);
    if (!list)
        return GT_FAIL;
    list->excluded = excluded || gt_contig_list_excludes(text);
    list->names = gt_names_new(NULL, err);
    int status = list->names ? add_items(list, text + gt_contig_list_excludes(text), known, named, absent, err) : GT_FAIL;
    if (status)
        gt_contig_list_free(list);
    else
        *out = list;
    return status;
}

void gt_contig_list_free(struct gt_contig_list *list)
{
    if (!list)
        return;
    gt_names_free(list->names);
    gt_strs_release(&list->others);
    free(list->ranges);
    free(list);
}

static bool is_listed(const struct gt_contig_list *list, const char *contig)
{
    const int number = gt_contig_number(contig);
    if (list->autosomes)
        return number >= 1 && number <= 22;
    for (size_t i = 0; i < list->n_ranges; i++)
        if (number >= list->ranges[i].from && number <= list->ranges[i].to)
            return true;
    for (size_t i = 0; i < list->others.n; i++)
        if (gt_contig_same(gt_strs_get(&list->others, i), contig))
            return true;
    return gt_names_find(list->names, contig, strlen(contig)) >= 0;
}

bool gt_contig_list_keeps(const struct gt_contig_list *list, const char *contig)
{
    return is_listed(list, contig) != list->excluded;
}
