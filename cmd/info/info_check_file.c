/* --check of a VCF, a BCF, a .bed or a .npy: all of it is read as a command would read it,
 * checksums of BGZF blocks and the end mark included. */
#include <string.h>

#include "arrays/matrix/matrix.h"
#include "cmd/common/report.h"
#include "cmd/info/info.h"
#include "core/base/json.h"
#include "core/base/size.h"
#include "core/engine/memory_plan.h"
#include "geno/model/reader.h"
#include "geno/plink/plink_readers.h"
#include "geno/vcf/vcf_reader.h"

struct file_check {
    struct gt_cli *cli;
    const char *name;
    struct gt_outfile *out;
    bool npy;
    int64_t variants, samples; /* of a .npy: values, 0 */
    struct gt_err fault;       /* status 0: none */
};

static int read_blocks(struct file_check *check, struct gt_source *source, struct gt_err *err)
{
    struct gt_block *block;
    int status;
    while ((status = gt_source_next(source, &block, err)) == GT_OK) {
        check->variants += block->n;
        gt_source_done(source, block);
    }
    return status == GT_END ? GT_OK : status;
}

/* What is open already, since a pipe is opened once.  Calls of ploidy above 2 are no end of it. */
static int open_source(const struct file_check *check, struct gt_input *input, struct gt_source **source, struct gt_err *err)
{
    struct gt_select_opts everything = GT_SELECT_ALL;
    if (input->kind != GT_KIND_BED && input->kind != GT_KIND_PGEN)
        everything.polyploid = GT_POLYPLOID_MISSING;
    const struct gt_source_opts opts = {.select = &everything, .fields = GT_SITE_ALL};
    struct gt_engine *engine = &check->cli->engine;
    struct gt_reader *reader = NULL;
    int status = input->kind == GT_KIND_BED    ? gt_reader_open_bed(&reader, engine, input, err)
                 : input->kind == GT_KIND_PGEN ? gt_reader_open_pgen(&reader, engine, input, err)
                                               : gt_reader_open_vcf(&reader, engine, input, &everything, err);
    if (status)
        return status;
    *input = (struct gt_input){.fd = -1}; /* it is the reader's */
    status = gt_source_from_reader(source, engine, reader, &opts, err);
    return status ? status : info_allot_reading(check->cli, *source, 0, err);
}

static void look_at_calls(struct file_check *check, const struct gt_select_stats *stats)
{
    char a[GT_THINGS_LEN];
    if (stats->polyploid_calls)
        gt_fail_unsupported(&check->fault, "%s of ploidy above 2", gt_format_things(a, stats->polyploid_calls, "call"));
}

static int read_values(struct file_check *check, struct gt_input *input, struct gt_err *err)
{
    const struct gt_matrix_opts opts = {.memory = 0};
    const struct gt_matrix_block *block;
    struct gt_matrix *matrix = NULL;
    int status = gt_matrix_open(&matrix, &check->cli->engine, input, &opts, err);
    while (!status && (status = gt_matrix_next(matrix, &block, err)) == GT_OK) {
        check->variants += block->n * gt_matrix_info(matrix)->columns;
        gt_matrix_done(matrix, block);
    }
    gt_matrix_free(matrix);
    return status == GT_END ? GT_OK : status;
}

static int read_genotypes(struct file_check *check, struct gt_input *input, struct gt_err *err)
{
    struct gt_source *source = NULL;
    int status = open_source(check, input, &source, err);
    if (!status) {
        check->samples = gt_source_info(source)->n_samples;
        status = read_blocks(check, source, err);
    }
    if (!status) {
        gt_report_source(check->cli, source);
        look_at_calls(check, gt_source_stats(source));
    }
    gt_source_free(source);
    return status;
}

/* A fault of the input ends the reading, not the check. */
static int read_all(struct file_check *check, struct gt_input *input, struct gt_err *err)
{
    int status = check->npy ? read_values(check, input, &check->fault) : read_genotypes(check, input, &check->fault);
    if (status > 0 && status != GT_INPUT) {
        *err = check->fault;
        return status;
    }
    return GT_OK;
}

/* The one fault as a list: of those that are damage, or of those that are not supported. */
static struct json_object *faults(const struct file_check *check, bool unsupported)
{
    struct json_object *list = json_object_new_array(), *fault;
    bool ok = true;
    if (check->fault.status && check->fault.unsupported == unsupported) {
        fault = json_object_new_object();
        ok = gt_json_set_text(fault, "key", check->name) && gt_json_set_text(fault, "cause", check->fault.msg);
        ok = gt_json_add(list, gt_json_if_complete(fault, ok));
    }
    return gt_json_if_complete(list, ok);
}

static int write_json(const struct file_check *check, struct gt_err *err)
{
    struct json_object *obj = json_object_new_object();
    bool ok = gt_json_set_int(obj, check->npy ? "values" : "variants", check->variants) &&
              (check->npy || gt_json_set_int(obj, "samples", check->samples)) && gt_json_set(obj, "damaged", faults(check, false)) &&
              gt_json_set(obj, "not_supported", faults(check, true));
    return info_write_json(check->out, gt_json_if_complete(obj, ok), err);
}

static int write_text(const struct file_check *check, struct gt_err *err)
{
    struct gt_str text = {0};
    const struct gt_err *fault = &check->fault;
    if (fault->status)
        gt_str_addf(&text, "%s\t%s\t%s\n", fault->unsupported ? "not supported" : "damaged", check->name, fault->msg);
    gt_str_addf(&text, "%lld %s%s checked, %d damaged, %d not supported\n", (long long)check->variants, check->npy ? "value" : "variant",
                check->variants == 1 ? "" : "s", fault->status && !fault->unsupported, fault->status && fault->unsupported);
    int status = gt_text_put(check->out, &text, 0, err);
    gt_str_release(&text);
    return status;
}

int info_allot_reading(const struct gt_cli *cli, struct gt_source *source, int64_t least, struct gt_err *err)
{
    const struct gt_geno_info *info = gt_source_info(source);
    struct gt_allotment allotment = {
        .name = "reading", .minimum = gt_max_i64(info->read_minimum, least), .preferred = info->read_preferred};
    int status = gt_memory_plan_fit(&allotment, 1, &cli->engine, err);
    if (!status)
        gt_source_set_memory(source, allotment.size);
    return status;
}

static int plan(struct file_check *check, struct gt_input *input, struct gt_err *err)
{
    struct gt_source *source = NULL;
    int status = check->npy ? GT_OK : open_source(check, input, &source, err);
    status = status ? status : gt_outfile_write(check->out, "the whole input is read\n", 24, err);
    gt_source_free(source);
    return status;
}

int info_check_file(struct gt_cli *cli, const char *name, struct gt_input *input, struct gt_outfile *out, bool *reported,
                    struct gt_err *err)
{
    struct file_check check = {.cli = cli, .name = name, .out = out, .npy = input->kind == GT_KIND_NPY};
    if (cli->dry_run)
        return plan(&check, input, err);
    int status = read_all(&check, input, err);
    if (status)
        return status;
    status = cli->json ? write_json(&check, err) : write_text(&check, err);
    *reported = !status;
    if (!status && check.fault.status && !check.fault.unsupported) {
        *err = check.fault;
        status = check.fault.status;
    }
    return status;
}
