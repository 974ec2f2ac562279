/* PLINK 1 .bed: rows of two bits a sample, variant after variant. */
#include "config.h"

#include <string.h>

#include "geno/plink/fileset.h"
#include "geno/plink/plink_readers.h"
#include "kernels/kernels.h"

#define HEADER 3

size_t gt_plink_stem(const char *path)
{
    const size_t n = strlen(path);
    if (n > 5 && strcmp(path + n - 5, ".pgen") == 0)
        return n - 5;
    return n > 4 && strcmp(path + n - 4, ".bed") == 0 ? n - 4 : n;
}

static int check_magic(struct gt_fileset *file, struct gt_err *err)
{
    const struct gt_input *input = &file->input;
    uint8_t magic[HEADER] = {0};
    if (input->size < HEADER)
        return gt_fail(err, GT_INPUT, "'%s' is truncated: a .bed has more than %lld bytes", input->name, (long long)input->size);
    int status = gt_input_pread(&file->input, magic, HEADER, 0, err);
    if (status)
        return status;
    if (magic[0] != 0x6c || magic[1] != 0x1b)
        return gt_fail(err, GT_INPUT, "'%s' is not a PLINK 1 .bed: it begins with %02x %02x, not 6c 1b", input->name, magic[0], magic[1]);
    if (magic[2] == 1)
        return 0;
    if (magic[2] != 0)
        return gt_fail(err, GT_INPUT, "'%s' is not a PLINK 1 .bed: its third byte is %02x", input->name, magic[2]);
    gt_fail(err, GT_INPUT, "'%s' is a sample-major .bed, which is not supported", input->name);
    gt_hint(err, "convert it: plink1.9 --bfile PREFIX --make-bed");
    return GT_INPUT;
}

static int read_fam(struct gt_fileset *file, const char *path, struct gt_err *err)
{
    return gt_fileset_read_fam(file, path, false, err);
}

static int layout(struct gt_fileset *file, struct gt_err *err)
{
    (void)err;
    file->header = HEADER;
    gt_fileset_lay_rows(file, (file->base.info.n_samples + 3) / 4);
    return 0;
}

static int check(struct gt_fileset *file, struct gt_err *err)
{
    return gt_fileset_check_rows(file, file->bim.n, 0, err);
}

static int unpack(struct gt_fileset *file, int64_t first, int64_t n, uint8_t *raw, uint8_t *rows, struct gt_err *err)
{
    (void)first;
    (void)err;
    for (int64_t v = 0; v < n; v++)
        gt_kernels()->bed_to_packed(raw + v * file->pitch, file->base.info.n_samples, rows + (size_t)v * file->stride);
    return 0;
}

int gt_reader_open_bed(struct gt_reader **out, struct gt_engine *engine, struct gt_input *input, struct gt_err *err)
{
    static const struct gt_fileset_ops bed = {.kind = "PLINK bed",
                                              .sites = ".bim",
                                              .samples = ".fam",
                                              .to_utf8 = "convert the .bim and the .fam with iconv -f LATIN1 -t UTF-8",
                                              .stem = gt_plink_stem,
                                              .provisional = true,
                                              .size = sizeof(struct gt_fileset),
                                              .begin = check_magic,
                                              .read_samples = read_fam,
                                              .layout = layout,
                                              .check = check,
                                              .bytes = gt_fileset_row_bytes,
                                              .read = gt_fileset_read_rows,
                                              .unpack = unpack};
    return gt_fileset_open(out, engine, input, &bed, err);
}
