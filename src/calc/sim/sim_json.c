#include "calc/sim/sim_json.h"

#include <math.h>
#include <stdio.h>

#include "core/base/size.h"
#include "core/engine/flow.h"
#include "core/engine/memory_plan.h"
#include "storage/text/text_file.h"

/* Maximum number of variants of a task, and its approximate bytes of text. */
enum { MOST_VARIANTS = 2048, TASK_BYTES = 1 << 20, NUMBER_BYTES = 24 };
#define PIECE (64 << 10) /* of names, that is put out at once */

struct job {
    const struct gt_sim *sim;
    struct gt_engine *engine;
    struct gt_outfile *file;
    int64_t each; /* variants of a task */
};

struct item {
    struct gt_buf freq, text;
};

static int work(void *ctx, int64_t task, void *p, struct gt_err *err)
{
    const struct job *job = ctx;
    const struct gt_sim_opts *o = gt_sim_options(job->sim);
    struct item *item = p;
    int64_t first = task * job->each, end = o->variants - first < job->each ? o->variants : first + job->each;
    int status;

    item->freq.budget = item->text.budget = &job->engine->budget;
    if ((status = gt_buf_resize(&item->freq, (size_t)o->pops * sizeof(double), err)) ||
        (status = gt_buf_reserve(&item->text, (size_t)((end - first) * (o->pops + 1)) * NUMBER_BYTES, err)))
        return status;
    double *freq = (double *)item->freq.data;
    char *at = (char *)item->text.data;
    for (int64_t v = first; v < end; v++) {
        at += sprintf(at, "%s[%.9g", v ? ",\n" : "\n", gt_sim_frequencies(job->sim, v, freq));
        for (int64_t k = 0; k < o->pops; k++)
            at += sprintf(at, ",%.9g", freq[k]);
        *at++ = ']';
    }
    item->text.len = (size_t)(at - (char *)item->text.data);
    return 0;
}

static int commit(void *ctx, int64_t task, void *p, struct gt_err *err)
{
    struct item *item = p;
    (void)task;
    return gt_outfile_write(((struct job *)ctx)->file, item->text.data, item->text.len, err);
}

static void release(void *ctx, void *p)
{
    struct item *item = p;
    (void)ctx;
    gt_buf_release(&item->freq);
    gt_buf_release(&item->text);
}

static int put(struct gt_outfile *file, struct gt_str *text, struct gt_err *err)
{
    int status = gt_text_put(file, text, 0, err);
    gt_str_release(text);
    return status;
}

static int64_t line_bytes(const struct gt_sim *sim)
{
    return gt_bytes_mul(gt_sim_options(sim)->pops + 1, NUMBER_BYTES);
}

static int64_t variants_of_task(const struct gt_sim *sim)
{
    int64_t n = TASK_BYTES / line_bytes(sim);
    return n < 1 ? 1 : n > MOST_VARIANTS ? MOST_VARIANTS : n;
}

static int64_t task_bytes(const struct gt_sim *sim)
{
    return gt_bytes_add(gt_bytes_mul(variants_of_task(sim), line_bytes(sim)), gt_sim_options(sim)->pops * (int64_t)sizeof(double));
}

int gt_sim_json_fit_memory(const struct gt_sim *sim, const struct gt_engine *engine, int64_t *memory, struct gt_err *err)
{
    int64_t bytes = task_bytes(sim);
    struct gt_allotment allotment = {.name = "frequencies", .minimum = bytes, .preferred = gt_memory_plan_of_flow(engine, 0, bytes)};
    int status = gt_memory_plan_fit(&allotment, 1, engine, err);
    *memory = allotment.size;
    return status;
}

static int put_population(struct gt_outfile *file, const struct gt_sim *sim, int64_t k, struct gt_err *err)
{
    int64_t first = gt_sim_pop_first(sim, k), end = gt_sim_pop_first(sim, k + 1);
    struct gt_str text = {0};
    int status = 0;

    gt_str_addf(&text, "%s\n  {\"name\": \"" GT_POP_NAME "\", \"first\": %lld, \"samples\": [", k ? "," : "", (long long)k + 1,
                (long long)first);
    for (int64_t s = first; s < end && !status; s++) {
        gt_str_addf(&text, "%s\"S%lld\"", s > first ? "," : "", (long long)s + 1);
        if (text.len > PIECE)
            status = put(file, &text, err);
    }
    gt_str_add(&text, "]}");
    int last = put(file, &text, status ? NULL : err);
    return status ? status : last;
}

static int put_options(struct gt_outfile *file, const struct gt_sim_opts *o, struct gt_err *err)
{
    struct gt_str text = {0};

    gt_str_addf(&text, "{\"seed\": %llu, \"samples\": %lld, \"variants\": %lld, \"contigs\": %lld,\n", (unsigned long long)o->seed,
                (long long)o->samples, (long long)o->variants, (long long)o->contigs);
    gt_str_addf(&text, " \"fst\": %.17g, \"missing\": %.17g, \"multiallelic\": %.17g, \"ld\": %lld,\n", o->fst, o->missing, o->multiallelic,
                (long long)o->ld);
    if (o->spectrum == GT_SIM_GROWTH_SPECTRUM)
        gt_str_addf(&text, " \"spectrum\": \"growth\", \"split_time\": %.17g,", gt_sim_split_time(o->fst));
    else
        gt_str_addf(&text, " \"spectrum\": \"%s\", \"min_maf\": %.17g,", o->spectrum == GT_SIM_FLAT ? "flat" : "neutral", o->min_maf);
    gt_str_add(&text, "\n \"populations\": [");
    return put(file, &text, err);
}

int gt_sim_json_write(struct gt_outfile *file, const struct gt_sim *sim, struct gt_engine *engine, struct gt_err *err)
{
    static const struct gt_flow_ops ops = {
        .name = "truth", .work_name = "frequencies", .item_size = sizeof(struct item), .work = work, .release = release};
    static const char middle[] = "],\n \"frequencies\": [";
    const struct gt_sim_opts *o = gt_sim_options(sim);
    struct job job = {sim, engine, file, variants_of_task(sim)};
    const int64_t variants = o->spectrum == GT_SIM_GROWTH_SPECTRUM ? 0 : o->variants; /* with frequencies */
    struct gt_flow_opts opts = {.tasks = gt_ceil_div(variants, job.each), .task_bytes = (size_t)task_bytes(sim)};
    int status = gt_sim_json_fit_memory(sim, engine, &opts.memory, err);

    status = status ? status : put_options(file, o, err);
    for (int64_t k = 0; k < o->pops && !status; k++)
        status = put_population(file, sim, k, err);
    status = status ? status : gt_outfile_write(file, middle, sizeof middle - 1, err);
    status = status ? status : gt_flow_run(engine, &ops, &opts, &job, commit, err);
    return status ? status : gt_outfile_write(file, "]}\n", 3, err);
}

int gt_sim_json_write_array(struct gt_outfile *file, const struct gt_sim_array *a, struct gt_err *err)
{
    struct gt_str text = {0};

    gt_str_addf(&text, "{\"seed\": %llu, \"shape\": [%lld, %lld],\n", (unsigned long long)a->seed, (long long)a->rows,
                (long long)a->columns);
    if (a->kind == GT_SIM_UNIFORM)
        gt_str_addf(&text, " \"uniform\": [%.17g, %.17g]", a->low, a->high);
    else if (a->kind == GT_SIM_NORMAL)
        gt_str_add(&text, " \"normal\": [0, 1]");
    else {
        gt_str_addf(&text, " \"rank\": %lld, \"noise\": %.17g, \"noise_norm\": %.17g,\n \"singular_values\": [", (long long)a->rank,
                    a->noise, a->noise * (sqrt((double)a->rows) + sqrt((double)a->columns)));
        for (int64_t r = 0; r < a->rank; r++)
            gt_str_addf(&text, "%s%.17g", r ? ", " : "", gt_sim_array_singular(a, r));
        gt_str_add(&text, "]");
    }
    gt_str_add(&text, "}\n");
    return put(file, &text, err);
}
