/* gt-svd of a plain array: the plan, warnings and the summary. */
#include <math.h>
#include <stdio.h>

#include "arrays/linalg/linalg.h"
#include "cmd/common/report.h"
#include "cmd/svd/svd_array.h"
#include "cmd/svd/svd_geno.h"
#include "core/base/size.h"
#include "core/base/str.h"

static const char *const names[] = {"auto", "krylov", "compressed", "tsqr"};

/* A short side that tsqr takes easily. */
enum { SHORT = 4000 };
/* The first column of U is a constant one when the square of their cosine is above this. */
#define LEVEL 0.9

void svd_array_print_plan(const struct gt_cli *cli, const struct gt_device *device, const struct gt_svd_array_plan *plan,
                          const struct gt_matrix_info *info)
{
    char a[GT_NUM_LEN];
    int64_t narrow = plan->allotment[GT_SVD_ARRAY_NARROW].size - GT_LINALG_BYTES;
    printf("input          %s (%s)\n", info->name, info->kind);
    printf("rows           %s\n", gt_format_count(a, plan->rows));
    printf("columns        %s\n", gt_format_count(a, plan->columns));
    printf("values         %s\n", gt_format_count(a, plan->k));
    printf("algorithm      %s (%s)\n", names[plan->way], plan->why);
    printf("passes         %s at most, by %s\n", gt_format_count(a, plan->passes), plan->turned ? "columns" : "rows");
    if (plan->allotment[GT_SVD_ARRAY_VALUES].preferred)
        printf("array          %s\n",
               plan->kept ? "stays in memory between passes" : "is read again in each pass, except what fits in memory");
    else if (info->fast &&
             (plan->way == GT_SVD_ARRAY_KRYLOV || (plan->way == GT_SVD_ARRAY_COMPRESSED && (plan->turned || plan->passes > 2))))
        printf("array          is read again in each pass; it is %s, so that a copy in memory would save nothing\n",
               info->raw ? "uncompressed" : "fast to read");
    if (plan->whole)
        printf("numbers        if all are 0, 1 or 2: stored in two bits, multiplied as integers\n");
    if (plan->way != GT_SVD_ARRAY_TSQR)
        printf("projection     %s columns\n", gt_format_count(a, plan->level));
    printf("%-14s %s\n", plan->way == GT_SVD_ARRAY_TSQR ? "blocks of QR" : "vectors", gt_format_size(a, narrow));
    svd_print_resources(cli, device, plan->device_bytes);
}

/* --- residuals ------------------------------------------------------------------------- */

static double residual_of(const struct gt_svd_array_result *result, int64_t c)
{
    return result->residuals.len ? gt_buf_f64(&result->residuals)[c] : NAN;
}

/* Is it above the tolerance?  Components of rounding error are not asked. */
static bool is_off(const struct gt_svd_array_result *result, int64_t c, double tol)
{
    return c < result->rank && result->residuals.len && !(residual_of(result, c) <= tol);
}

/* "component 3" or "components 1, 3 to 10". */
static void list_off(struct gt_str *list, const struct gt_svd_array_result *result, double tol)
{
    int64_t n = 0;
    for (int64_t c = 0; c < result->rank; c++)
        n += is_off(result, c, tol);
    gt_str_addf(list, n == 1 ? "component" : "components");
    for (int64_t c = 0, first = 1; c < result->rank; c++) {
        int64_t end = c;
        while (end < result->rank && is_off(result, end, tol))
            end++;
        if (end == c)
            continue;
        gt_str_addf(list, "%s %lld", first ? "" : ",", (long long)c + 1);
        if (end > c + 1)
            gt_str_addf(list, " to %lld", (long long)end);
        first = 0;
        c = end;
    }
}

/* What would help: more passes; for what rounding limits, other values or no iteration. */
static const char *advice(const struct gt_svd_array_plan *plan, const struct gt_svd_array_opts *opts,
                          const struct gt_svd_array_result *result)
{
    const bool small = plan->rows <= SHORT || plan->columns <= SHORT, level = !opts->center && result->level_u > LEVEL;
    if (level)
        return small ? "--center subtracts the column means, which make up component 1; --algorithm tsqr is exact"
                     : "--center subtracts the column means, which make up component 1";
    if (plan->way == GT_SVD_ARRAY_COMPRESSED)
        return small ? "try more --power-iterations, --algorithm krylov or tsqr" : "try more --power-iterations, or --algorithm krylov";
    if (result->passes >= opts->passes)
        return small ? "try more --passes, or --algorithm tsqr" : "try more --passes";
    return small ? "rounding allows no better here; --algorithm tsqr is exact" : "rounding allows no better here; try a larger --tol";
}

static void warn_residuals(struct gt_cli *cli, const struct gt_svd_array_plan *plan, const struct gt_svd_array_opts *opts,
                           const struct gt_svd_array_result *result)
{
    struct gt_str list = {0};
    double most = 0;
    int64_t off = 0;
    for (int64_t c = 0; c < result->rank; c++)
        if (is_off(result, c, opts->tol)) {
            most = fmax(most, residual_of(result, c));
            off++;
        }
    if (!off)
        return;
    list_off(&list, result, opts->tol);
    gt_warn(cli, "%s: residual above --tol %g after %lld passes (largest: %.2g); %s", list.s ? list.s : "components", opts->tol,
            (long long)result->passes, most, advice(plan, opts, result));
    gt_str_release(&list);
}

static void warn_rank(struct gt_cli *cli, const struct gt_svd_array_plan *plan, const struct gt_svd_array_result *result)
{
    char which[GT_THINGS_LEN];
    const long long rank = (long long)result->rank, k = (long long)plan->k;
    if (rank == k)
        return;
    snprintf(which, sizeof which, rank + 1 == k ? "component %lld" : "components %lld to %lld", rank + 1, k);
    gt_warn(cli, "the array has numerical rank %lld, as numpy.linalg.matrix_rank: %s may be rounding error", rank, which);
}

void svd_array_report(struct gt_cli *cli, const struct gt_svd_array_plan *plan, const struct gt_svd_array_opts *opts,
                      const struct gt_svd_array_result *result)
{
    char a[GT_THINGS_LEN], b[GT_NUM_LEN], c[GT_NUM_LEN];
    if (result->missing)
        gt_note(cli, "%s replaced by the mean of the column", gt_format_things(a, result->missing, "missing value"));
    for (int64_t i = 0; cli->verbose && result->residuals.len && i < plan->k; i++) {
        char residual[32] = "";
        if (i < result->rank)
            snprintf(residual, sizeof residual, ", residual %.2g", residual_of(result, i));
        gt_note(cli, "component %lld: singular value %.10g%s", (long long)i + 1, gt_buf_f64(&result->values)[i], residual);
    }
    warn_rank(cli, plan, result);
    warn_residuals(cli, plan, opts, result);
    gt_note(cli, "%s of %s x %s by %s, %lld passes, %.2f s", gt_format_things(a, plan->k, "singular value"), gt_format_count(b, plan->rows),
            gt_format_count(c, plan->columns), names[plan->way], (long long)result->passes, gt_elapsed(cli));
}

/* --- the summary --------------------------------------------------------------------------- */

/* A number; null where there is none. */
static bool set_number(struct json_object *o, const char *key, double x)
{
    return isnan(x) ? gt_json_set_shared(o, key, NULL) : gt_json_set_real(o, key, x);
}

static bool set_residuals(struct json_object *o, const struct gt_svd_array_plan *plan, const struct gt_svd_array_result *result)
{
    struct json_object *all = result->residuals.len ? json_object_new_array() : NULL;
    double most = NAN;
    bool ok = true;
    if (!result->residuals.len)
        return set_number(o, "residual", NAN) && gt_json_set_shared(o, "residuals", NULL);
    for (int64_t c = 0; c < plan->k && ok; c++) {
        const double r = residual_of(result, c);
        most = c < result->rank ? fmax(most, r) : most;
        ok = isnan(r) ? gt_json_add_shared(all, NULL) : gt_json_add(all, json_object_new_double(r));
    }
    return set_number(o, "residual", most) && gt_json_set(o, "residuals", gt_json_if_complete(all, ok));
}

int svd_array_print_summary(const struct gt_cli *cli, const struct gt_svd_array_plan *plan, const struct gt_svd_array_opts *opts,
                            const struct gt_svd_array_result *result, struct gt_err *err)
{
    struct json_object *o = json_object_new_object();
    bool ok = gt_json_set_int(o, "rows", plan->rows) && gt_json_set_int(o, "columns", plan->columns) &&
              gt_json_set_int(o, "components", plan->k) && gt_json_set_int(o, "rank", result->rank) &&
              gt_json_set_int(o, "missing", result->missing) && gt_json_set(o, "centered", json_object_new_boolean(opts->center)) &&
              gt_json_set_text(o, "algorithm", names[plan->way]) && gt_json_set_int(o, "passes", result->passes) &&
              set_residuals(o, plan, result) && gt_json_set_real(o, "seconds", gt_elapsed(cli)) &&
              gt_json_set_int(o, "threads", cli->engine.limits.threads) && gt_json_set_text(o, "kernels", gt_kernels()->name);
    return gt_print_summary(cli, gt_json_if_complete(o, ok), err);
}
