/* What gt-svd prints about a PCA: plan, summary and warnings. */
#include <stdio.h>

#include "cmd/common/report.h"
#include "cmd/device/device_choice.h"
#include "cmd/svd/svd_geno.h"
#include "core/base/size.h"

/* With fewer samples a warning is printed. */
enum { FEW_SAMPLES = 50 };
/* With more variants than this and no pruning a warning is printed. */
enum { MANY_VARIANTS = 200000 };
/* With fewer of the model's variants in the data (per cent) a warning is printed. */
enum { ENOUGH = 95 };

void svd_print_resources(const struct gt_cli *cli, const struct gt_device *device, int64_t device_bytes)
{
    const struct gt_device_work work = {.preferred = device_bytes};
    gt_print_memory(cli);
    printf("device         %s, %d threads\n", gt_device_text((char[GT_DEVICE_TEXT_LEN]){0}, device, &work), cli->engine.limits.threads);
}

static const char *name_of(const struct gt_svd_plan *plan)
{
    static const char *const names[] = {"auto", "krylov", "gram", "compressed"};
    return names[plan->algorithm];
}

/* Sums have two digits at most; what is read once has one. */
static void print_per_rank(const struct gt_svd_plan *plan)
{
    const bool gram = plan->algorithm == GT_SVD_GRAM;
    const int64_t row = (plan->samples + 3) / 4, own = plan->own;
    const int64_t reads = own < 0 || !plan->ranges ? -1 : gt_bytes_mul(own, row);
    const int64_t sends =
        gram ? plan->sums.sums_bytes : gt_bytes_mul(plan->samples + 1, (plan->once ? 1 : 2) * plan->width * (int64_t)sizeof(int64_t));
    const int64_t held = gt_bytes_mul(own, row), room = plan->allotment[GT_SVD_CACHE].size;
    const struct gt_per_rank figures = {.reads = reads,
                                        .at_most = plan->variants < 0,
                                        .sends = sends,
                                        .sends_at_most = gram,
                                        .each_pass = true,
                                        .broadcasts = gram ? 0 : gt_bytes_mul(plan->samples, plan->width * (int64_t)sizeof(double)),
                                        .holds = gram || plan->once || own < 0 ? 0 : gt_min_i64(held, room)};
    gt_print_per_rank(&figures);
}

int svd_print_plan(const struct svd_geno *svd, const struct gt_cli *cli, const struct gt_svd_plan *plan, const struct gt_geno_info *info,
                   struct gt_err *err)
{
    const int ranks = cli->engine.comm.size;
    struct gt_work work;
    char a[GT_NUM_LEN];
    const bool krylov = plan->algorithm == GT_SVD_KRYLOV;
    printf("input          %s (%s)\n", info->name, info->kind);
    printf("samples        %s\n", gt_format_count(a, plan->samples));
    if (plan->variants >= 0)
        printf("variants       %s\n", gt_format_count(a, plan->variants));
    else
        printf("variants       unknown before the end%s%s\n", plan->most < 0 ? "" : "; at most ",
               plan->most < 0 ? "" : gt_format_count(a, plan->most));
    printf("components     %s\n", gt_format_count(a, svd->opts.k));
    printf("algorithm      %s (%s)\n", name_of(plan), plan->why);
    if (ranks > 1)
        printf("ranks          %d: each reads %s and computes its share; rank 0 solves and writes\n", ranks,
               plan->ranges ? "its range of the variants" : "all of the input");
    if (ranks > 1)
        print_per_rank(plan);
    if (plan->algorithm == GT_SVD_GRAM) {
        printf("passes         %s\n", gt_format_count(a, plan->sums.passes));
        printf("matrix         %s\n", gt_format_size(a, 8 * plan->samples * plan->samples));
    } else {
        printf("passes         %s%s\n",
               gt_format_count(a, krylov       ? svd->opts.passes
                                  : plan->once ? 1
                                               : 2 + svd->opts.power),
               krylov ? " at most" : "");
        printf("genotypes      %s\n", plan->once   ? "are read once"
                                      : plan->kept ? "stay in memory between passes"
                                                   : "are read again in each pass, except what fits in memory");
        printf("columns        %s a block\n", gt_format_count(a, plan->width));
        printf("vectors        %s\n", gt_format_size(a, plan->allotment[GT_SVD_SOLVING].size));
    }
    if (svd->opts.loadings)
        printf("loadings       %s, in one more pass\n", gt_format_size(a, plan->loading[GT_SVD_SOLVING].size));
    svd_print_resources(cli, &svd->device, plan->device_bytes);
    gt_svd_work(&work, &cli->engine, plan, &svd->opts);
    return svd->device.ops ? GT_OK : gt_print_estimate(cli, &work, err);
}

static double share_of(const struct gt_svd_result *result, int64_t components)
{
    const double *values = (const double *)(const void *)result->values.data;
    double sum = 0;
    for (int64_t c = 0; c < components; c++)
        sum += values[c];
    return sum / result->trace;
}

void svd_say_end(const struct svd_geno *svd, struct gt_cli *cli, const struct gt_svd_plan *plan, const struct gt_svd_result *result,
                 const char *worst)
{
    char a[GT_THINGS_LEN], b[GT_THINGS_LEN], c[GT_THINGS_LEN];
    if (result->constant)
        gt_note(cli, "%s excluded", gt_format_things(a, result->constant, "monomorphic variant"));
    if (plan->samples < FEW_SAMPLES)
        gt_warn(cli, "only %s: these PCs may not generalise to other samples", gt_format_things(a, plan->samples, "sample"));
    if (result->used > MANY_VARIANTS && !cli->select.ld_prune)
        gt_warn(cli, "%s may be in linkage disequilibrium, which PCs then reflect; --ld-prune 1000kb,0.1 would prune them",
                gt_format_things(c, result->used, "variant"));
    if (result->gappy)
        gt_warn(cli, "%s %s more than %g %% missing genotypes (highest: %s, %.3g %%); --mind %g would exclude %s",
                gt_format_things(a, result->gappy, "sample"), result->gappy == 1 ? "has" : "have", 100 * GT_SVD_GAPPY, worst,
                100 * result->worst_rate, GT_SVD_GAPPY, result->gappy == 1 ? "it" : "them");
    if (result->rank < svd->opts.k)
        gt_warn(cli, "the data has only %s; the others are 0", gt_format_things(a, result->rank, "component"));
    if (plan->algorithm == GT_SVD_KRYLOV && result->residual > svd->opts.tol)
        gt_warn(cli, "the residual is %.2g after %lld passes, above --tol %g", result->residual, (long long)result->passes, svd->opts.tol);
    char how[64] = "exact";
    if (plan->algorithm == GT_SVD_KRYLOV)
        snprintf(how, sizeof how, "krylov, %lld passes, residual %.2g", (long long)result->passes, result->residual);
    else if (plan->algorithm != GT_SVD_GRAM)
        snprintf(how, sizeof how, "random projection");
    gt_note(cli, "%s of %s, %s: %.4g %% of the variance explained (%s, %.2f s)", gt_format_things(a, svd->opts.k, "PC"),
            gt_format_things(b, plan->samples, "sample"), gt_format_things(c, result->used, "variant"), 100 * share_of(result, svd->opts.k),
            how, gt_elapsed(cli));
}

/* Samples of --fit and the others, and what became of their missing calls. */
static bool set_fit(const struct svd_geno *svd, struct json_object *o)
{
    return !svd->fit ||
           (gt_json_set_int(o, "projected", svd->projected) && gt_json_set_text(o, "missing_in_fit", svd->refit ? "rescaled" : "mean") &&
            gt_json_set_text(o, "missing_in_projected", "rescaled"));
}

int svd_print_summary(const struct svd_geno *svd, const struct gt_cli *cli, const struct gt_svd_plan *plan,
                      const struct gt_svd_result *result, struct gt_err *err)
{
    struct json_object *o = json_object_new_object();
    bool ok =
        gt_json_set_int(o, "samples", plan->samples) && gt_json_set_int(o, "variants", result->used) &&
        gt_json_set_int(o, "constant", result->constant) && gt_json_set_int(o, "components", svd->opts.k) &&
        gt_json_set_int(o, "rank", result->rank) && gt_json_set_text(o, "algorithm", name_of(plan)) &&
        gt_json_set_int(o, "passes", result->passes) &&
        (plan->algorithm == GT_SVD_KRYLOV ? gt_json_set_real(o, "residual", result->residual) : gt_json_set_shared(o, "residual", NULL)) &&
        gt_json_set_real(o, "trace", result->trace) && gt_json_set_real(o, "variance_explained", share_of(result, svd->opts.k)) &&
        gt_json_set_real(o, "seconds", gt_elapsed(cli)) && gt_json_set_int(o, "threads", cli->engine.limits.threads) &&
        gt_json_set_text(o, "kernels", gt_kernels()->name) && set_fit(svd, o);
    return gt_print_summary(cli, gt_json_if_complete(o, ok), err);
}

/* How many of the model's variants were in the data. */
void svd_say_match(struct gt_cli *cli, const struct gt_svd_scores_plan *plan, const struct gt_svd_model *model,
                   const struct gt_svd_scores_result *result)
{
    char a[GT_THINGS_LEN], b[GT_NUM_LEN];
    const struct gt_svd_match_stats *match = &result->match;
    const int64_t found = match->same + match->swapped;
    gt_note(cli, "%s of the model's %s found, %s with REF and ALT swapped", gt_format_things(a, found, "variant"),
            gt_format_count(b, model->n), gt_format_count((char[GT_NUM_LEN]){0}, match->swapped));
    if (match->others)
        gt_note(cli, "%s excluded: alleles differ from the model", gt_format_things(a, match->others, "variant"));
    if (match->again)
        gt_note(cli, "%s excluded: the model's variant was already found", gt_format_things(a, match->again, "duplicate"));
    if (match->unknown)
        gt_note(cli, "%s excluded: not in the model", gt_format_things(a, match->unknown, "variant"));
    svd_say_found(cli, plan, model, result);
}

void svd_say_found(struct gt_cli *cli, const struct gt_svd_scores_plan *plan, const struct gt_svd_model *model,
                   const struct gt_svd_scores_result *result)
{
    char a[GT_THINGS_LEN], b[GT_NUM_LEN];
    if (100 * result->absent > (100 - ENOUGH) * model->n)
        gt_warn(cli, "%s of %s model variants not found in the data by %s (--match)", gt_format_count(b, result->absent),
                gt_format_count((char[GT_NUM_LEN]){0}, model->n), plan->opts.by_id ? "id" : "position");
    if (result->empty)
        gt_warn(cli, "%s with no call at any of the model's variants: all PCs are 0", gt_format_things(a, result->empty, "sample"));
}
