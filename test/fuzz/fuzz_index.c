/* The inflated text of a .csi or .tbi behind eight bytes that choose intervals: parsed,
 * checked and asked.  What it answers lies in its stretches, in order. */
#include "config.h"

#include <htslib/bgzf.h>
#include <htslib/hts_log.h>
#include <htslib/vcf.h>
#include <string.h>

#include "fuzz.h"
#include "memfile.h"
#include "storage/bgzf/csi_internal.h"

enum { CHOICES = 8 };

static struct gt_budget budget;

static struct gt_index *new_index(void)
{
    struct gt_index *index = calloc(1, sizeof *index);
    if (!index || !(index->path = strdup("x.csi")))
        abort();
    index->contigs.budget = index->bins.budget = index->stretches.budget = index->windows.budget = &budget;
    return index;
}

static void ask(const struct gt_index *index, const uint8_t *choices)
{
    struct gt_buf found = {.budget = &budget};
    struct gt_interval at[2] = {{choices[0], choices[0] + choices[1]}, {(int64_t)choices[2] << choices[3] % 40, INT64_MAX}};
    struct gt_intervals intervals = {at, 1 + choices[4] % 2, 2};
    uint64_t minimum = UINT64_MAX, most = 0, last;
    const struct gt_stretch *all = (const struct gt_stretch *)index->stretches.data;
    for (size_t i = 0; i < index->stretches.len / sizeof *all; i++) {
        minimum = all[i].from < minimum ? all[i].from : minimum;
        most = all[i].to > most ? all[i].to : most;
    }
    for (int64_t contig = -1; contig <= 3; contig++)
        if (gt_index_find(index, contig, &intervals, &found, NULL))
            break;
    gt_stretches_join(&found);
    const struct gt_stretch *stretch = (const struct gt_stretch *)found.data;
    for (size_t i = 0; i < found.len / sizeof *stretch; i++)
        if (stretch[i].from < minimum || stretch[i].to > most || stretch[i].from > stretch[i].to ||
            (i && stretch[i].from <= stretch[i - 1].to))
            abort();
    gt_index_check(index, choices[5], &last);
    gt_buf_release(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct gt_err err = {0};
    if (n < CHOICES)
        return 0;
    gt_budget_init(&budget, 16 << 20);
    struct gt_index *index = new_index();
    struct gt_buf text = {.budget = &budget};
    if (gt_buf_append(&text, data + CHOICES, n - CHOICES, NULL) == 0) {
        if (gt_index_parse(index, &text, &err) == 0)
            ask(index, data);
        else if (!err.msg[0])
            abort();
    }
    gt_buf_release(&text);
    gt_index_free(index);
    if (budget.used != 0)
        abort();
    return 0;
}

/* --- seeds ---------------------------------------------------------------------------------- */

static void write_vcf(const char *path)
{
    static const char head[] = "##fileformat=VCFv4.2\n##contig=<ID=1,length=300000000>\n##contig=<ID=2>\n"
                               "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n";
    BGZF *file = bgzf_open(path, "w");
    char line[100];
    int failed = bgzf_write(file, head, sizeof head - 1) < 0;
    for (int v = 0; v < 60; v++) {
        int len = snprintf(line, sizeof line, "%d\t%d\t.\tA\tC\t.\t.\tEND=%d\n", 1 + v / 40, v * v * 50000 % 190000000 + v, 200000000);
        failed |= bgzf_write(file, line, (size_t)len) < 0 || (v % 9 == 0 && bgzf_flush(file));
    }
    if (bgzf_close(file) || failed)
        abort();
}

size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    static const int shifts[] = {0, 14, 9};
    char path[] = "fuzz-XXXXXX.vcf.gz", index[64];
    if (which >= 3)
        return 0;
    int fd = mkstemps(path, 7);
    if (fd < 0)
        return 0;
    close(fd);
    hts_set_log_level(HTS_LOG_OFF);
    write_vcf(path);
    snprintf(index, sizeof index, "%s%s", path, shifts[which] ? ".csi" : ".tbi");
    ssize_t n = 0;
    if (bcf_index_build(path, shifts[which]) == 0) {
        BGZF *file = bgzf_open(index, "r");
        n = bgzf_read(file, out + CHOICES, room - CHOICES);
        bgzf_close(file);
    }
    unlink(path);
    unlink(index);
    memcpy(out, "\1\377\5\24\1\0\0", CHOICES);
    return n > 0 ? (size_t)n + CHOICES : 0;
}
