/* Which records end the index of an output, and what is said of them: nothing but memory is called a lack of memory. */
#include <string.h>

#include "geno/vcf/csi_write.h"
#include "test/support/tap.h"

struct record {
    int32_t contig;
    int64_t begin, end;
};

static const char *const names[] = {"c1", "c2", "c3"};

/* The fault after these records, "" without one. */
static const char *fault_of(bool named, const struct record *records, int n)
{
    struct gt_geno_info info = {0};
    struct gt_err err = {0};
    struct gt_csi *csi = NULL;
    int status = 0;
    for (int i = 0; i < 3; i++)
        status = status ? status : gt_strs_add(&info.contigs, names[i], strlen(names[i]), &err);
    status = status ? status : gt_csi_new(&csi, &info, named, 0, &err);
    for (int i = 0; i < n && !status; i++)
        status =
            gt_csi_add(csi, records[i].contig, names[records[i].contig], records[i].begin, records[i].end, (uint64_t)(i + 1) << 16, &err);
    const char *fault = status ? err.msg : gt_csi_fault(csi) ? gt_csi_fault(csi) : ""; /* of static text */
    static char text[2000];
    snprintf(text, sizeof text, "%s", fault);
    gt_csi_free(csi);
    gt_strs_release(&info.contigs);
    return text;
}

static void check(const char *what, const char *wanted, const char *wanted_of_names, const struct record *records, int n)
{
    const char *of_indices = fault_of(false, records, n);
    ok(!strcmp(of_indices, wanted), "%s, by indices of contigs: '%s'", what, of_indices);
    const char *of_names = fault_of(true, records, n);
    ok(!strcmp(of_names, wanted_of_names), "%s, by names: '%s'", what, of_names);
}

#define CHECK(what, wanted, of_names, ...)                                                                                                 \
    check(what, wanted, of_names, (const struct record[]){__VA_ARGS__},                                                                    \
          sizeof((const struct record[]){__VA_ARGS__}) / sizeof(struct record))

int main(void)
{
    static const char order[] = "its records are not in order", far[] = "a position is beyond what an index can hold",
                      other[] = "htslib cannot index one of its records";
    CHECK("in order", "", "", {0, 5, 6}, {0, 5, 900}, {0, 7, 8}, {2, 1, 2});
    CHECK("a position before the last", order, order, {0, 5, 6}, {0, 4, 9});
    CHECK("contigs in another order", order, "", {1, 5, 6}, {0, 5, 6});
    CHECK("a contig that comes back", order, order, {0, 5, 6}, {1, 5, 6}, {0, 9, 10});
    CHECK("beyond the bins", far, far, {0, 5, 6}, {0, 7, (int64_t)1 << 40});
    CHECK("an end before the begin", other, other, {0, 5, 6}, {0, 7, 6});
    CHECK("after that, nothing is looked at", other, other, {0, 5, 6}, {0, 7, 6}, {0, 1, 2});
    return done_testing();
}
