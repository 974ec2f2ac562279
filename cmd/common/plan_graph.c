#include "config.h"

#include "cmd/common/plan_graph.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/common/run_data.h"
#include "cmd/figures/flow_titles.h"
#include "core/base/outfile.h"
#include "core/base/size.h"
#include "storage/picture/picture.h"
#include "storage/text/text_file.h"

enum { MOST_CHUNKS = 200, MOST_FILES = 12, MOST_ARRAYS = 3 };

static bool is_dot(const char *path)
{
    return gt_ends_with(path, ".dot") || gt_ends_with(path, ".gv");
}

int gt_plan_graph_check(const struct gt_cli *cli, struct gt_err *err)
{
    const char *path = cli->graph;
    if (is_dot(path))
        return GT_OK;
    if (!gt_ends_with(path, ".svg") && !gt_ends_with(path, ".png") && !gt_ends_with(path, ".pdf"))
        return gt_fail(err, GT_USAGE, "--graph '%s': the name must end in .dot, " GT_PICTURE_SUFFIXES, path);
    int status = gt_picture_check_graph("--graph", err);
    return status ? status : gt_picture_check("--graph", path, NULL, err);
}

/* --- text of labels ------------------------------------------------------------------ */

static void add_escaped(struct gt_str *out, const char *text)
{
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            gt_str_addf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ' || *text == 0x7f)
            gt_str_add(out, "?");
        else
            gt_str_addn(out, text, 1);
}

/* "500 x 60" */
static void add_extents(struct gt_str *out, struct json_object *list)
{
    char number[GT_NUM_LEN];
    for (size_t i = 0; i < json_object_array_length(list); i++)
        gt_str_addf(out, "%s%s", i ? " x " : "", gt_format_count(number, json_object_get_int64(json_object_array_get_idx(list, i))));
}

static void add_array(struct gt_str *out, struct json_object *array)
{
    struct json_object *chunks = gt_json_get(array, "chunks");
    const char *path = gt_json_text(array, "path");
    if (*path) {
        add_escaped(out, path);
        gt_str_add(out, ": ");
    }
    add_extents(out, gt_json_get(array, "shape"));
    gt_str_add(out, " ");
    add_escaped(out, gt_json_text(array, "type"));
    if (chunks && json_object_array_length(chunks)) {
        gt_str_add(out, ", chunks ");
        add_extents(out, chunks);
    }
    if (gt_json_text(array, "codec")) {
        gt_str_add(out, ", ");
        add_escaped(out, gt_json_text(array, "codec"));
    }
    gt_str_add(out, "\\n");
}

/* The name of a file, the size of a regular one, and its largest arrays. */
static void add_file(struct gt_str *out, struct json_object *file)
{
    struct json_object *bytes = gt_json_get(file, "bytes"), *arrays = gt_json_get(file, "arrays");
    const size_t n = json_object_array_length(arrays);
    char number[GT_NUM_LEN];
    add_escaped(out, gt_json_text(file, "name"));
    if (bytes)
        gt_str_addf(out, ", %s", gt_format_size(number, json_object_get_int64(bytes)));
    gt_str_add(out, "\\n");
    for (size_t i = 0; i < n && i < MOST_ARRAYS; i++)
        add_array(out, json_object_array_get_idx(arrays, i));
    if (n > MOST_ARRAYS)
        gt_str_addf(out, "and %s more arrays\\n", gt_format_count(number, (int64_t)n - MOST_ARRAYS));
}

/* --- nodes ------------------------------------------------------------------------------ */

static void add_files(struct gt_str *out, struct json_object *files)
{
    const size_t n = json_object_array_length(files);
    char number[GT_NUM_LEN];
    for (size_t i = 0; i < n && i < MOST_FILES; i++)
        add_file(out, json_object_array_get_idx(files, i));
    if (n > MOST_FILES)
        gt_str_addf(out, "and %s more\\n", gt_format_count(number, (int64_t)n - MOST_FILES));
    gt_str_add(out, "\"];\n");
}

static void add_inputs(struct gt_str *out, const struct gt_cli *cli, struct json_object *data)
{
    struct json_object *genotypes = gt_json_get(data, "genotypes");
    char a[GT_THINGS_LEN], b[GT_THINGS_LEN];
    if (!cli->cmd->takes_input)
        return;
    gt_str_add(out, "  input [shape=folder, fillcolor=\"#fdf3d8\", label=\"");
    if (genotypes) {
        const int64_t variants = json_object_get_int64(gt_json_get(genotypes, "variants"));
        add_escaped(out, gt_json_text(genotypes, "kind"));
        gt_str_addf(out, ": %s", gt_format_things(a, json_object_get_int64(gt_json_get(genotypes, "samples")), "sample"));
        if (variants >= 0)
            gt_str_addf(out, ", %s", gt_format_things(b, variants, "variant"));
        gt_str_add(out, "\\n");
    }
    add_files(out, gt_json_get(data, "inputs"));
}

static void add_output(struct gt_str *out, struct json_object *data)
{
    gt_str_add(out, "  output [shape=folder, fillcolor=\"#dff0df\", label=\"");
    add_files(out, gt_json_get(data, "outputs"));
}

static void add_step(struct gt_str *out, int i, const struct gt_plan_step *step)
{
    const char *stages[] = {step->read, step->work, step->part};
    char number[GT_THINGS_LEN], size[GT_NUM_LEN];
    gt_str_addf(out, "  step%d [label=\"", i);
    add_escaped(out, gt_flow_title(step->flow));
    for (int k = 0, n = 0; k < 3; k++)
        if (stages[k]) {
            gt_str_add(out, n++ ? ", " : "\\n");
            add_escaped(out, stages[k]);
        }
    if (step->tasks >= 0)
        gt_str_addf(out, "\\n%s", gt_format_things(number, step->tasks, "task"));
    if (step->task_bytes > 0 && step->task_bytes < INT64_MAX / 2)
        gt_str_addf(out, "%s up to %s each", step->tasks >= 0 ? " of" : "\\ntasks of", gt_format_size(size, step->task_bytes));
    if (step->passes > 1)
        gt_str_addf(out, "\\n%s %s", gt_format_count(number, step->passes),
                    strcmp(gt_flow_counts(step->flow), "array") == 0 ? "arrays" : "passes");
    else if (step->passes < 0)
        gt_str_add(out, "\\nseveral passes");
    gt_str_add(out, "\"];\n");
    if (!step->part)
        return;
    gt_str_addf(out, "  sum%d [shape=ellipse, fillcolor=\"#f6e3ec\", label=\"sums of all tasks", i);
    if (step->parts > 1)
        gt_str_addf(out, "\\nin %s parts", gt_format_count(number, step->parts));
    gt_str_addf(out, "\"];\n  step%d -> sum%d;\n", i, i);
}

/* The node that a step's results come from. */
static const char *end_of(const struct gt_plan_step *step)
{
    return step->part ? "sum" : "step";
}

static bool has_source(const struct gt_plan_record *record, int step)
{
    for (int i = 0; i < record->n_steps; i++)
        if (record->step[i].into == step)
            return true;
    return false;
}

/* Where a first step gets its data: the input if it reads any, else what the step before it left. */
static void add_source(struct gt_str *out, const struct gt_cli *cli, int i, int before)
{
    const struct gt_plan_step *step = &cli->engine.plan->step[i];
    char from[32] = "";
    if (cli->cmd->takes_input && (step->read || before < 0))
        strcpy(from, "input -> ");
    else if (before >= 0)
        snprintf(from, sizeof from, "%s%d -> ", end_of(&cli->engine.plan->step[before]), before);
    if (step->tasks > 0 && step->tasks <= MOST_CHUNKS)
        for (int64_t task = 0; task < step->tasks; task++)
            gt_str_addf(out,
                        "  chunk%d_%" PRId64 " [shape=box, style=filled, fillcolor=\"#e3ecf7\", label=\"chunk %" PRId64
                        "\"];\n  %schunk%d_%" PRId64 " -> step%d;\n",
                        i, task, task, from, i, task, i);
    else if (*from)
        gt_str_addf(out, "  %sstep%d;\n", from, i);
    if (cli->cmd->takes_input && step->read && before >= 0)
        gt_str_addf(out, "  %s%d -> step%d [style=dashed, label=\"then\"];\n", end_of(&cli->engine.plan->step[before]), before, i);
}

static void add_steps(struct gt_str *out, const struct gt_cli *cli)
{
    const struct gt_plan_record *record = cli->engine.plan;
    int before = -1; /* the last step whose results no other step reads */
    for (int i = 0; i < record->n_steps; i++) {
        add_step(out, i, &record->step[i]);
        if (record->step[i].into >= 0)
            gt_str_addf(out, "  %s%d -> step%d;\n", end_of(&record->step[i]), i, record->step[i].into);
    }
    for (int i = 0; i < record->n_steps; i++) {
        if (!has_source(record, i))
            add_source(out, cli, i, record->step[i].into < 0 ? before : -1);
        if (record->step[i].into < 0)
            before = i;
    }
    if (before >= 0)
        gt_str_addf(out, "  %s%d -> output;\n", end_of(&record->step[before]), before);
    else if (cli->cmd->takes_input)
        gt_str_add(out, "  input -> output;\n");
}

/* Data that stays in memory between passes, at the step that has most of them. */
static void add_kept(struct gt_str *out, const struct gt_plan_record *record)
{
    int most = -1;
    char size[GT_NUM_LEN];
    for (int i = 0; i < record->n_steps; i++)
        if (most < 0 || (record->step[i].passes < 0 ? INT64_MAX : record->step[i].passes) > record->step[most].passes)
            most = i;
    for (int k = 0; k < record->n_shares; k++) {
        const struct gt_plan_share *share = &record->share[k];
        if (!share->kept || share->size <= 0 || most < 0)
            continue;
        gt_str_addf(out, "  kept%d [shape=cylinder, fillcolor=\"#ece6f5\", label=\"%s\\nup to %s of memory\"];\n", k, share->name,
                    gt_format_size(size, share->size));
        gt_str_addf(out, "  kept%d -> step%d [dir=both, style=dashed];\n", k, most);
    }
}

static void add_memory(struct gt_str *out, const struct gt_cli *cli)
{
    const struct gt_plan_record *record = cli->engine.plan;
    char a[GT_NUM_LEN], b[GT_NUM_LEN];
    gt_str_addf(out, "  memory [shape=note, fillcolor=\"#f4f4f4\", label=\"memory limit %s\\l",
                gt_format_size(a, cli->engine.limits.memory));
    for (int i = 0; i < record->n_shares; i++) {
        const struct gt_plan_share *share = &record->share[i];
        if (share->size <= 0)
            continue;
        gt_str_add(out, "  ");
        add_escaped(out, share->name);
        gt_str_addf(out, ": %s", gt_format_size(a, share->size));
        if (share->size < share->preferred)
            gt_str_addf(out, " of %s", share->preferred < INT64_MAX / 8 ? gt_format_size(b, share->preferred) : "all it can get");
        gt_str_add(out, "\\l");
    }
    gt_str_add(out, "\"];\n");
}

static void make_dot(struct gt_str *out, const struct gt_cli *cli)
{
    struct json_object *data = gt_run_data(cli, !cli->dry_run);
    if (!data) {
        gt_str_fail(out);
        return;
    }
    gt_str_add(out, "digraph plan {\n  graph [fontname=\"Helvetica\", fontsize=12, labelloc=t, label=\"");
    add_escaped(out, cli->command_line);
    gt_str_add(out, cli->dry_run ? " (planned)\"];\n" : "\"];\n");
    gt_str_add(out, "  node [fontname=\"Helvetica\", fontsize=11, shape=box, style=filled, fillcolor=\"#e3ecf7\", color=\"#555555\"];\n"
                    "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#555555\"];\n");
    add_inputs(out, cli, data);
    add_output(out, data);
    add_steps(out, cli);
    add_kept(out, cli->engine.plan);
    add_memory(out, cli);
    gt_str_add(out, "}\n");
    json_object_put(data);
}

int gt_plan_graph_write(const struct gt_cli *cli, struct gt_err *err)
{
    struct gt_outfile file = {0};
    struct gt_str dot = {0}, svg = {0};
    make_dot(&dot, cli);
    int status = gt_str_check(&dot, err);
    if (!status && !is_dot(cli->graph))
        status = gt_picture_lay_out(dot.s, &svg, err);
    status = status ? status : gt_picture_open(&file, cli->graph, NULL, err);
    status = status ? status : gt_text_put(&file, svg.len ? &svg : &dot, 0, err);
    status = status ? status : gt_outfile_commit(&file, err);
    gt_outfile_abort(&file);
    gt_str_release(&dot);
    gt_str_release(&svg);
    return status;
}
