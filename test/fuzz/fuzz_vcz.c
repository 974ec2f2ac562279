/* A VCF Zarr store as entries, written back as gt-unpack writes it, in a form and under a selection that the first byte
 * chooses.  What became a VCF has a line of as many columns as it should for every variant: no text of a store
 * makes lines or columns. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "calc/convert/unpack.h"
#include "entries.h"
#include "fuzz.h"
#include "fuzz_engine.h"
#include "geno/vcf/vcf_writers.h"
#include "geno/writers/geno_writers.h"
#include "memfile.h"

enum { VCF, BCF, BED, NPY, FORMATS };

static struct gt_engine *engine(void)
{
    struct gt_engine *e = fuzz_engine();
    e->budget.limit = 64 << 20; /* row groups of records are planned in it */
    return e;
}

static int open_sink(struct gt_calls_sink **sink, int format, const char *path, bool records, struct gt_err *err)
{
    const struct gt_vcf_opts opts = {.records = records, .level = format == BCF};
    return format == VCF   ? gt_sink_vcf(sink, path, &opts, err)
           : format == BCF ? gt_sink_bcf(sink, path, &opts, err)
           : format == BED ? gt_sink_bed(sink, path, NULL, err)
                           : gt_sink_npy(sink, path, err);
}

static int64_t variant_bytes(int format, bool records, const struct gt_geno_info *info)
{
    return records         ? gt_record_variant_bytes(info, format == BCF)
           : format == VCF ? gt_vcf_variant_bytes(info->n_samples, 0)
           : format == BCF ? gt_bcf_variant_bytes(info->n_samples)
           : format == BED ? gt_bed_variant_bytes(info->n_samples)
                           : gt_npy_variant_bytes(info->n_samples);
}

static int unpack(const struct gt_source_opts *opts, int format, const char *path, int64_t *variants, int64_t *samples, struct gt_err *err)
{
    const unsigned needed = format == NPY ? 0 : GT_HAS_CONTIGS | GT_HAS_POSITIONS | GT_HAS_ALLELES;
    struct gt_source *source = NULL;
    struct gt_calls_sink *sink = NULL;
    struct gt_unpack_plan plan;
    int status = gt_source_open(&source, engine(), opts, err);
    const struct gt_geno_info *info = status ? NULL : gt_source_info(source);
    if (!status && (!(info->has & GT_HAS_DOSAGES) || (needed & ~info->has)))
        status = gt_fail(err, GT_INPUT, "the form has more");
    const bool records = !status && format <= BCF && (info->has & GT_HAS_COLUMNS);
    status = status ? status : gt_unpack_plan_make(&plan, engine(), info, variant_bytes(format, records, info), 0, err);
    status = status ? status : open_sink(&sink, format, path, records, err);
    status = status ? status : gt_unpack_run(engine(), source, &plan, sink, variants, err);
    *samples = status ? 0 : info->n_samples;
    if (sink)
        sink->ops->free(sink);
    gt_source_free(source);
    return status;
}

/* Lines below the header, each of these many tabs. */
static void check_text(const char *path, int64_t variants, int64_t samples)
{
    FILE *file = fopen(path, "rb");
    int64_t lines = 0, tabs = 0;
    bool header = true, first = true;
    if (!file)
        abort();
    for (int c; (c = getc(file)) != EOF; first = c == '\n') {
        if (first)
            header = c == '#', tabs = 0;
        tabs += c == '\t';
        if (c == '\n' && !header) {
            lines++;
            if (tabs != (samples ? 8 + samples : 7) && tabs != 7)
                abort();
        }
    }
    fclose(file);
    if (lines != variants || !first)
        abort();
}

static void remove_all(const char *path)
{
    static const char *const endings[] = {"", ".bed", ".bim", ".fam", ".id", ".csi"};
    char name[96];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const struct gt_select_opts selections[] = {
        GT_SELECT_ALL,
        {.geno = -1, .mind = -1, .maf = -1, .one_alt = true, .samples = "s2,s0", .skip_absent = true},
        {.geno = 0.5, .mind = 0.9, .maf = 0.01, .pass = true, .snps = true, .biallelic = true},
        {.geno = -1, .mind = -1, .maf = -1, .regions = "1:2-3,2", .slice = ":,::2", .skip_absent = true},
    };
    struct gt_str zip = {0};
    struct memfile file;
    struct gt_err err = {0};
    char out[64];
    int64_t variants = 0, samples = 0;
    if (n == 0)
        return 0;
    const int format = data[0] % FORMATS;
    entries_zip(data + 1, data + n, &zip);
    memfile_open(&file, (const uint8_t *)zip.s, zip.len);
    snprintf(out, sizeof out, "/tmp/fuzz-vcz-%ld", (long)getpid());
    const char *path = file.path;
    struct gt_source_opts opts = {.paths = &path, .n_paths = 1, .select = &selections[data[0] / FORMATS % 4]};
    opts.fields = format == NPY ? GT_SITE_MULTI : format == BED ? GT_SITE_ALL : GT_SITE_ALL | GT_SITE_COLUMNS;
    int status = unpack(&opts, format, out, &variants, &samples, &err);
    if ((status && !err.msg[0]) || fuzz_engine()->budget.used != 0)
        abort();
    if (!status && format == VCF)
        check_text(out, variants, samples);
    remove_all(out);
    close(file.fd);
    gt_str_release(&zip);
    return 0;
}

/* --- seeds ------------------------------------------------------------------------------ */

static void add_info(struct entries *s)
{
    static const char ids[] = "\3\0\0\0\3\0\0\0rs1\1\0\0\0.\3\0\0\0rs3", texts[] = "\3\0\0\0\3\0\0\0a,b\1\0\0\0.\0\0\0\0";
    static const uint8_t quality[] = {0, 0, 32, 65, 1, 0, 0x80, 0x7f, 0, 0, 0x80, 0x3f},
                         af[] = {0, 0, 0, 63, 2, 0, 0x80, 0x7f, 1, 0, 0x80, 0x7f, 2, 0, 0x80, 0x7f, 0, 0, 0, 63, 0, 0, 0, 62};
    entries_add_array(s, "variant_id", "5", "3", "|O", "{}");
    entries_add(s, "variant_id/0", ids, sizeof ids - 1);
    entries_add(s, "variant_id/1", ids, sizeof ids - 1);
    entries_add_array(s, "variant_quality", "5", "3", "<f4", "{}");
    entries_add(s, "variant_quality/0", quality, sizeof quality);
    entries_add_array(s, "variant_AF", "5,2", "3,2", "<f4", "{\"description\":\"of ALTs\"}");
    entries_add(s, "variant_AF/0.0", af, sizeof af);
    entries_add(s, "variant_AF/1.0", af, sizeof af);
    entries_add_array(s, "variant_DB", "5", "3", "|b1", "{}");
    entries_add(s, "variant_DB/0", "\1\0\1", 3);
    entries_add_array(s, "variant_NOTE", "5", "3", "|O", "{}");
    entries_add(s, "variant_NOTE/0", texts, sizeof texts - 1);
}

static void add_format(struct entries *s)
{
    static const char calls[] = "\0\0\0\1\1\1\xff\xff\0\xff\1\xfe"
                                "\0\0\1\0\1\1\0\0\0\0\1\1"
                                "\0\1\0\1\1\1\xff\xff\0\0\1\0",
                      phased[] = "\0\1\0\1\0\1\1\1\1\0\0\0\0\0\1\0\1\0", depths[] = "\1\2\3\xff\xfe\6\1\2\3\4\5\6\1\2\3\4\5\6",
                      texts[] = "\6\0\0\0\1\0\0\0.\4\0\0\0PASS\0\0\0\0\1\0\0\0.\1\0\0\0x\1\0\0\0y";
    uint8_t pairs[72];
    for (size_t i = 0; i < sizeof pairs; i++)
        pairs[i] = (uint8_t)(i % 2 ? i % 7 == 3 ? 255 : 0 : i % 7 == 2 ? 254 : i);
    entries_add_array(s, "call_genotype", "5,6,2", "3,6,2", "|i1", "{}");
    entries_add(s, "call_genotype/0.0.0", calls, 36);
    entries_add(s, "call_genotype/1.0.0", calls, 36);
    entries_add_array(s, "call_genotype_phased", "5,6", "3,6", "|b1", "{}");
    entries_add(s, "call_genotype_phased/0.0", phased, 18);
    entries_add_array(s, "call_DP", "5,6", "3,6", "|i1", "{}");
    entries_add(s, "call_DP/0.0", depths, 18);
    entries_add(s, "call_DP/1.0", depths, 18);
    entries_add_array(s, "call_AD", "5,6,2", "3,6,2", "<i2", "{}");
    entries_add(s, "call_AD/0.0.0", pairs, sizeof pairs);
    entries_add_array(s, "call_FT", "5,6", "1,6", "|O", "{}");
    entries_add(s, "call_FT/0.0", texts, sizeof texts - 1);
    entries_add(s, "call_FT/3.0", texts, sizeof texts - 1);
}

size_t fuzz_seed(unsigned which, uint8_t *out, size_t room)
{
    static const char attrs[] = "{\"vcf_zarr_version\":\"0.4\",\"vcf_meta_information\":[[\"fileformat\",\"VCFv4.3\"],[\"x\",\"y\"],"
                                "[\"INFO\",\"<ID=AF,Number=A,Type=Float,Description=\\\"of ALTs\\\">\"]]}";
    struct entries s = {out, 1, room};
    if (which >= 4 * FORMATS)
        return 0;
    out[0] = (uint8_t)which;
    entries_add(&s, ".zgroup", "{\"zarr_format\":2}", 17);
    entries_add(&s, ".zattrs", attrs, sizeof attrs - 1);
    if (which % 3 != 2)
        add_info(&s);
    if (which % 5 != 4)
        add_format(&s);
    entries_add_sites(&s);
    return s.n;
}
