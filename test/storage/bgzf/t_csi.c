/* Regions by .tbi and .csi against reading the whole file: random regions over made-up
 * VCF and BCF of many blocks, real files with the indexes they came with, and indexes
 * that are damaged, another file's, or older than their file. */
#include <fcntl.h>
#include <glob.h>
#include <htslib/bgzf.h>
#include <htslib/vcf.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/support/bcf_copy.h"
#include "test/support/geno_test.h"
#include "test/support/level.h"
#include "test/support/random.h"
#include "test/support/scratch.h"

enum { SAMPLES = 21, RECORDS = 6000 };

static struct gt_engine *engine;

static void copy(const char *from, const char *to)
{
    size_t n;
    unsigned char *bytes = scratch_read(from, &n);
    scratch_write(to, bytes, n);
    free(bytes);
}

/* --- made-up files ------------------------------------------------------------------------ */

static const char *const contigs[4] = {"c1", "c2", "empty", "c:3"};
static const int64_t lengths[4] = {300000, 500000000, 1000, 1500000000};

/* Sorted; dense and sparse stretches, some records that reach far, one at 0.  `far`: the
 * last contig goes on behind what a .tbi can say. */
static void add_record(struct gt_str *text, int v, int *contig, int64_t *pos, bool far)
{
    int next = v < RECORDS / 3 ? 0 : v < RECORDS * 2 / 3 ? 1 : 3;
    if (next != *contig)
        *pos = random_below(2) ? 0 : 1 + random_below(100), *contig = next;
    else
        *pos += random_below(3) ? random_below(8) : random_below(next == 0 ? 200 : far || next == 1 ? 400000 : 100000);
    gt_str_addf(text, "%s\t%lld\tid%d\tA\tC\t.\t.\t", contigs[next], (long long)*pos, v);
    if (random_below(40) == 0)
        gt_str_addf(text, "END=%lld\tGT", (long long)*pos + random_below(random_below(3) ? 300 : 30000000));
    else
        gt_str_add(text, ".\tGT");
    for (int s = 0; s < SAMPLES; s++)
        gt_str_addf(text, "\t%" PRId64 "/%" PRId64, random_below(2), random_below(2));
    gt_str_add(text, "\n");
}

static void make_vcf(const char *name, bool far)
{
    struct gt_str text = {0};
    BGZF *f = bgzf_open(name, "w");
    int contig = -1, failed = 0;
    int64_t pos = 0;
    gt_str_add(&text, "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">\n"
                      "##INFO=<ID=END,Number=1,Type=Integer,Description=\"x\">\n");
    for (int i = 0; i < 4; i++)
        gt_str_addf(&text, "##contig=<ID=%s,length=%lld>\n", contigs[i], (long long)lengths[i]);
    gt_str_add(&text, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT");
    for (int s = 0; s < SAMPLES; s++)
        gt_str_addf(&text, "\ts%d", s);
    gt_str_add(&text, "\n");
    for (int v = 0; v < RECORDS; v++) {
        add_record(&text, v, &contig, &pos, far);
        failed |= bgzf_write(f, text.s, text.len) < 0 || (random_below(25) == 0 && bgzf_flush(f));
        gt_str_clear(&text);
    }
    if (failed || bgzf_close(f))
        printf("Bail out! cannot write\n");
    gt_str_release(&text);
}

static int now_and_then(void)
{
    return random_below(25) == 0;
}

/* shift 0: .tbi */
static void make_index(const char *name, int shift)
{
    if (bcf_index_build(name, shift))
        printf("Bail out! cannot index %s\n", name);
}

/* --- comparing ---------------------------------------------------------------------------- */

static bool same_blocks(const struct whole *a, const struct whole *b)
{
    if (!same_rows(&a->block, &b->block, (int64_t)a->samples.n))
        return false;
    for (int64_t v = 0; v < a->block.n; v++) {
        const struct gt_site *x = &gt_block_sites(&a->block)[v], *y = &gt_block_sites(&b->block)[v];
        if (x->position != y->position || x->length != y->length ||
            strcmp(gt_strs_get(&a->contigs, (size_t)x->contig), gt_strs_get(&b->contigs, (size_t)y->contig)) != 0 ||
            strcmp(gt_strs_get(&a->block.ids, x->id), gt_strs_get(&b->block.ids, y->id)) != 0)
            return false;
    }
    return true;
}

/* The same selection of two files is the same, with the same counts. */
static bool agree(const char *indexed, const char *plain, const struct gt_select_opts *o, bool counts)
{
    struct whole a, b;
    struct gt_err ea, eb;
    int sa = read_path(engine, indexed, o, GT_SITE_ALL, &a, &ea), sb = read_path(engine, plain, o, GT_SITE_ALL, &b, &eb);
    bool same = sa == sb && (sa || same_blocks(&a, &b));
    if (same && !sa && counts)
        same = a.stats.sites_in == b.stats.sites_in && a.stats.sites_kept == b.stats.sites_kept &&
               a.stats.dropped_region + a.stats.dropped_contig == b.stats.dropped_region + b.stats.dropped_contig;
    if (!same)
        diag("-r %s --contigs %s: %d %s and %d %s, %lld of %lld and %lld of %lld sites", o->regions ? o->regions : "-",
             o->contigs ? o->contigs : "-", sa, ea.msg, sb, eb.msg, (long long)a.block.n, (long long)a.stats.sites_in, (long long)b.block.n,
             (long long)b.stats.sites_in);
    whole_release(&a);
    whole_release(&b);
    return same;
}

static void random_region(struct gt_str *list)
{
    int c = random_below(4), span = random_below(6);
    int64_t reach = random_below(3) ? 120000 : lengths[c],
            from = (int64_t)(((uint64_t)random_below(1 << 30) << 16 | (unsigned)random_below(65536)) % (uint64_t)reach);
    static const int64_t spans[6] = {0, 1, 30, 5000, 1000000, 100000000};
    gt_str_add(list, list->len ? "," : "");
    gt_str_add(list, contigs[c]);
    if (random_below(12) == 0)
        return;
    gt_str_addf(list, ":%lld", (long long)from);
    if (random_below(8) == 0)
        gt_str_add(list, "-");
    else if (random_below(4))
        gt_str_addf(list, "-%lld", (long long)(from + random_below((int)spans[span] + 1)));
}

/* Of so many lists; a quick run tries every fourth, with the same random numbers. */
static void test_random(const char *indexed, const char *plain, int lists)
{
    const int every = (int)by_level(4, 1, 1);
    char a[4200], b[4200];
    int wrong = 0;
    snprintf(a, sizeof a, "%s", indexed);
    snprintf(b, sizeof b, "%s", plain);
    for (int t = 0; t < lists && wrong < 3; t++) {
        struct gt_select_opts o = GT_SELECT_ALL;
        struct gt_str list = {0};
        for (int n = 1 + random_below(random_below(4) ? 2 : 9); n > 0; n--)
            random_region(&list);
        if (random_below(10))
            o.regions = list.s;
        if (!o.regions || random_below(6) == 0)
            o.contigs = random_below(2) ? "c2,c:3" : "c1";
        wrong += t % every == 0 && !agree(a, b, &o, true);
        gt_str_release(&list);
    }
    ok(wrong == 0, "%s: %d random lists of regions, as without its index", indexed, lists / every);
}

static void test_region_file(const char *indexed, const char *plain)
{
    char a[4200], b[4200], list[4200];
    FILE *f = fopen("regions.bed", "w");
    for (int i = 0; i < 3000; i++) {
        int64_t from = (int64_t)random_below(400000000);
        fprintf(f, "%s\t%lld\t%lld\n", contigs[i % 2], (long long)(i % 2 ? from : from / 2000),
                (long long)(i % 2 ? from : from / 2000) + random_below(3000));
    }
    fclose(f);
    struct gt_select_opts o = GT_SELECT_ALL;
    snprintf(list, sizeof list, "%s", "regions.bed");
    o.regions_file = list;
    snprintf(a, sizeof a, "%s", indexed);
    snprintf(b, sizeof b, "%s", plain);
    ok(agree(a, b, &o, true), "%s: 3,000 regions of a file", indexed);
    o.regions = NULL;
    o.regions_file = NULL;
    o.contigs = "c2";
    o.thin = 3;
    ok(agree(a, b, &o, true), "%s: --thin counts what the index would pass over", indexed);
}

/* --- what is read --------------------------------------------------------------------------- */

/* A wrong byte in a block far from the region is not met when the index is used. */
static void test_used(const char *name, const char *index)
{
    size_t n;
    char path[4200], other[64];
    unsigned char *bytes = scratch_read(name, &n);
    struct gt_select_opts o = GT_SELECT_ALL;
    struct whole all;
    struct gt_err err;
    bytes[n - n / 12] ^= 1;
    snprintf(other, sizeof other, "wrong-%s", name);
    scratch_write(other, bytes, n);
    free(bytes);
    o.regions = "c1:1-3000";
    int status = read_path(engine, other, &o, GT_SITE_ALL, &all, &err);
    ok(status == GT_INPUT, "%s is read to its end without an index: %s", name, err.msg);
    whole_release(&all);
    snprintf(path, sizeof path, "%s%s", name, index);
    char to[128];
    snprintf(to, sizeof to, "%s%s", other, index);
    copy(path, to);
    status = read_path(engine, other, &o, GT_SITE_ALL, &all, &err);
    ok(status == 0 && all.block.n > 0 && all.warnings.n == 0, "and not with %s: %lld sites %s", index, (long long)all.block.n, err.msg);
    whole_release(&all);
    o.regions = "c:3";
    status = read_path(engine, other, &o, GT_SITE_ALL, &all, &err);
    ok(status == GT_INPUT, "but where the damage is: %s", err.msg);
    whole_release(&all);
}

/* The same as without an index, and a warning that has the text. */
static void test_refused(const char *what, const char *name, const char *plain, const char *text)
{
    struct gt_select_opts o = GT_SELECT_ALL;
    struct whole all;
    struct gt_err err;
    char a[4200], b[4200];
    o.regions = "c1:1000-5000,c2:30000000-300000000";
    snprintf(a, sizeof a, "%s", name);
    snprintf(b, sizeof b, "%s", plain);
    bool same = agree(a, b, &o, true);
    int status = read_path(engine, a, &o, GT_SITE_ALL, &all, &err);
    ok(same && status == 0 && all.warnings.n == 1 && strstr(gt_strs_get(&all.warnings, 0), text), "%s: %s", what,
       all.warnings.n ? gt_strs_get(&all.warnings, 0) : "no warning");
    whole_release(&all);
}

static void write_bgzf(const char *name, const void *bytes, size_t n)
{
    BGZF *f = bgzf_open(name, "w");
    if (bgzf_write(f, bytes, n) < 0 || bgzf_close(f))
        printf("Bail out! cannot write\n");
}

static size_t read_bgzf(const char *name, char *bytes, size_t room)
{
    BGZF *f = bgzf_open(name, "r");
    ssize_t n = bgzf_read(f, bytes, room);
    bgzf_close(f);
    return n > 0 ? (size_t)n : 0;
}

static void test_bad_indexes(void)
{
    static char text[1 << 20];
    size_t n;
    copy("a.vcf.gz", "bad.vcf.gz");
    make_index("b.vcf.gz", 0);
    copy("b.vcf.gz.tbi", "bad.vcf.gz.tbi");
    copy("b.vcf.gz.tbi", "bad.vcf.gz.csi"); /* both are asked */
    test_refused("the index of another file", "bad.vcf.gz", "plain.vcf.gz", "is not the index of this file");
    make_index("a.vcf.gz", 14);
    copy("a.vcf.gz.csi", "bad.vcf.gz.csi");
    struct timespec old[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    utimensat(AT_FDCWD, "bad.vcf.gz.csi", old, 0);
    test_refused("an index that is older", "bad.vcf.gz", "plain.vcf.gz", "is older than");
    remove("bad.vcf.gz.csi");

    /* of a file that has grown, and of one that has lost its end */
    unsigned char *bytes = scratch_read("a.vcf.gz", &n);
    size_t more = read_bgzf("a.vcf.gz", text, sizeof text);
    struct gt_str longer = {0};
    gt_str_addn(&longer, text, more);
    gt_str_add(&longer, "c:3\t1400000000\t.\tA\tC\t.\t.\t.\tGT");
    for (int s = 0; s < SAMPLES; s++)
        gt_str_add(&longer, "\t0/1");
    gt_str_add(&longer, "\n");
    write_bgzf("bad.vcf.gz", longer.s, longer.len);
    write_bgzf("grown.vcf.gz", longer.s, longer.len);
    gt_str_release(&longer);
    copy("a.vcf.gz.tbi", "bad.vcf.gz.tbi");
    test_refused("the index of a file that has changed", "bad.vcf.gz", "grown.vcf.gz", "is not the index of this file");

    /* cut, at every place of its compressed and of its inflated form */
    scratch_write("bad.vcf.gz", bytes, n);
    free(bytes);
    bytes = scratch_read("a.vcf.gz.tbi", &n);
    int quiet = 0, partition = 0;
    size_t len = read_bgzf("a.vcf.gz.tbi", text, sizeof text);
    struct gt_select_opts o = GT_SELECT_ALL;
    o.regions = "c1:1000-5000";
    for (size_t at = 0; at < len; at += 1 + len / 150, partition += 2) {
        struct whole all;
        struct gt_err err;
        for (int inflated = 0; inflated < 2; inflated++) {
            if (inflated)
                write_bgzf("bad.vcf.gz.tbi", text, at);
            else
                scratch_write("bad.vcf.gz.tbi", bytes, at * (n - 28) / len);
            int status = read_path(engine, "bad.vcf.gz", &o, GT_SITE_ALL, &all, &err);
            quiet += status != 0 || all.warnings.n != 1;
            whole_release(&all);
        }
    }
    ok(quiet == 0, "an index that is cut, at %d places: a warning, and the file is read", partition);
    free(bytes);
    scratch_write("bad.vcf.gz.tbi", "", 0);
    test_refused("an empty index", "bad.vcf.gz", "plain.vcf.gz", "bad.vcf.gz.tbi");
    write_bgzf("bad.vcf.gz.tbi", "BAI\1xxxxxxxx", 12);
    test_refused("something else", "bad.vcf.gz", "plain.vcf.gz", "is not an index");
}

/* Whatever bytes are wrong: an answer, and no crash. */
static void test_wrong_bytes(const char *name, const char *index)
{
    static char text[1 << 20];
    char path[4200];
    size_t n = read_bgzf(index, text, sizeof text);
    int wrong = 0;
    snprintf(path, sizeof path, "%s", name);
    for (int i = 0; i < 200; i++) {
        struct gt_select_opts o = GT_SELECT_ALL;
        struct whole all;
        struct gt_err err;
        size_t at = (size_t)random_below((int)n);
        char was = text[at];
        text[at] = (char)random_below(256);
        write_bgzf(index, text, n);
        text[at] = was;
        o.regions = i % 2 ? "c1:1000-5000" : "c1,c2:1-3000000";
        int status = read_path(engine, path, &o, GT_SITE_ALL, &all, &err);
        wrong += status && status != GT_INPUT && status != GT_NOFIT;
        whole_release(&all);
    }
    ok(wrong == 0 && engine->budget.used == 0, "%s with a wrong byte, 200 times", index);
    write_bgzf(index, text, n);
}

/* --- real files ------------------------------------------------------------------------------ */

static void link_to(const char *from, const char *name)
{
    remove(name);
    if (symlink(from, name))
        printf("Bail out! cannot link\n");
}

/* Is the index believed? */
static bool is_used(const char *path, const char *contig)
{
    struct gt_select_opts o = GT_SELECT_ALL;
    struct whole all;
    struct gt_err err;
    o.regions = contig;
    int status = read_path(engine, path, &o, GT_SITE_POS, &all, &err);
    bool used = status == 0;
    for (size_t i = 0; i < all.warnings.n && used; i++)
        used = !strstr(gt_strs_get(&all.warnings, i), "without an index");
    if (!used)
        diag("%s: %s", path, status ? err.msg : gt_strs_get(&all.warnings, 0));
    whole_release(&all);
    return used;
}

static void check_real(const char *path)
{
    const char *end = strrchr(path, '.'), *name = strrchr(path, '/') + 1;
    struct gt_str file = {0};
    struct whole all;
    struct gt_err err;
    const int most = (int)by_level(6, 25, 25);
    int wrong = 0, trials = 0;
    gt_str_addn(&file, path, (size_t)(end - path));
    link_to(file.s, "real-plain");
    int status = read_path(engine, "real-plain", NULL, GT_SITE_POS, &all, &err);
    for (int64_t v = 0; !status && v < all.block.n && trials < most; v += 1 + all.block.n / most, trials++) {
        const struct gt_site *site = &gt_block_sites(&all.block)[v];
        struct gt_select_opts o = GT_SELECT_ALL;
        struct gt_str region = {0};
        gt_str_addf(&region, "%s:%lld-%lld", gt_strs_get(&all.contigs, (size_t)site->contig), (long long)site->position,
                    (long long)site->position + random_below(20000));
        o.regions = region.s;
        wrong += !agree(file.s, "real-plain", &o, false);
        gt_str_release(&region);
    }
    if (!status && all.block.n)
        wrong += !is_used(file.s, gt_strs_get(&all.contigs, (size_t)gt_block_sites(&all.block)[0].contig));
    ok(wrong == 0, "%s: %d regions%s", name, trials, status ? ", the file is refused" : "");
    whole_release(&all);
    gt_str_release(&file);
}

static void test_real(const char *data)
{
    static const char *const patterns[] = {"vcf/*.tbi", "vcf/edge/*.tbi", "vcf/edge/*.csi"};
    for (size_t i = 0; i < 3; i++) {
        glob_t found;
        char pattern[4200];
        snprintf(pattern, sizeof pattern, "%s/%s", data, patterns[i]);
        if (glob(pattern, 0, NULL, &found) == 0)
            for (size_t k = 0; k < found.gl_pathc; k++)
                check_real(found.gl_pathv[k]);
        globfree(&found);
    }
}

int main(void)
{
    const char *data = test_data();
    scratch_open();
    engine = new_engine(2, 0);
    hts_set_log_level(HTS_LOG_OFF);
    make_vcf("a.vcf.gz", false);
    copy("a.vcf.gz", "plain.vcf.gz");
    make_index("a.vcf.gz", 0);
    test_random("a.vcf.gz", "plain.vcf.gz", 150);
    test_region_file("a.vcf.gz", "plain.vcf.gz");
    make_vcf("b.vcf.gz", true);
    copy("b.vcf.gz", "plain-b.vcf.gz");
    make_index("b.vcf.gz", 14);
    test_random("b.vcf.gz", "plain-b.vcf.gz", 100);
    make_index("b.vcf.gz", 9);
    test_random("b.vcf.gz", "plain-b.vcf.gz", 100);
    write_bcf("b.vcf.gz", "c.bcf", "wb", now_and_then);
    copy("c.bcf", "plain.bcf");
    make_index("c.bcf", 14);
    test_random("c.bcf", "plain.bcf", 100);
    test_region_file("c.bcf", "plain.bcf");
    test_used("a.vcf.gz", ".tbi");
    test_used("b.vcf.gz", ".csi");
    test_used("c.bcf", ".csi");
    make_vcf("b.vcf.gz", false);
    test_bad_indexes();
    make_index("a.vcf.gz", 0);
    remove("a.vcf.gz.csi");
    test_wrong_bytes("a.vcf.gz", "a.vcf.gz.tbi");
    test_wrong_bytes("c.bcf", "c.bcf.csi");
    if (data)
        test_real(data);
    else
        skip("no GT_TEST_DATA");
    free_engine(engine);
    scratch_close();
    return done_testing();
}
