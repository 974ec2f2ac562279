/* A group without genotypes: which groups below it have them. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "geno/vcz_read/zarr_reader.h"

/* The length of an array's path before "/calldata/GT" or another of those names; -1: the array is none of them. */
static int group_of_genotypes(const char *path, const char *const names[])
{
    const size_t n = strlen(path);
    for (int i = 0; names[i]; i++) {
        const size_t len = strlen(names[i]);
        if (n > len + 1 && path[n - len - 1] == '/' && strcmp(path + n - len, names[i]) == 0)
            return (int)(n - len - 1);
    }
    return -1;
}

/* Names the first groups below this one that hold genotypes. */
static void hint_groups(const char *store, struct gt_group *group, const char *path, const char *const names[], struct gt_err *err)
{
    struct gt_node *nodes = NULL;
    struct gt_str list = {0};
    size_t n = 0;
    int found = 0;
    if (gt_group_nodes(group, &nodes, &n, NULL))
        n = 0;
    for (size_t i = 0; i < n; i++) {
        const int len = nodes[i].is_array ? group_of_genotypes(nodes[i].path, names) : -1;
        if (len > 0 && found++ < 4)
            gt_str_addf(&list, "%s%s/%s%s%.*s", found > 1 ? ", " : "", store, path, *path ? "/" : "", len, nodes[i].path);
    }
    if (list.s)
        gt_hint(err, "%d %s genotypes: %s%s", found, found == 1 ? "group has" : "groups have", list.s, found > 4 ? ", ..." : "");
    else
        gt_hint(err, "gt-info lists the arrays; name one with --array");
    gt_str_release(&list);
    gt_nodes_free(nodes, n);
}

int zr_no_genotypes(const struct zarr_reader *r, struct gt_group *group, const char *path, const char *const names[], struct gt_err *err)
{
    gt_fail(err, GT_INPUT, "'%s' has no genotypes: there is no packed_dosage, call_genotype, calldata/GT or call_dosage in %s%s",
            r->base.info.name, *path ? "its group " : "the store's root", path);
    hint_groups(r->base.info.name, group, path, names, err);
    return GT_INPUT;
}
