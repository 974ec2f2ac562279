#include "config.h"

#include "cmd/info/info_reports.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "storage/text/text_file.h"

/* --report of this command names a report too. */
static const char *first;

static bool is_report(const char *path)
{
    static const char begin[] = "{ \"report\": ";
    char head[sizeof begin] = "";
    FILE *file = gt_ends_with(path, ".json") ? fopen(path, "re") : NULL;
    if (!file)
        return false;
    const size_t n = fread(head, 1, sizeof begin - 1, file);
    fclose(file);
    return n == sizeof begin - 1 && memcmp(head, begin, n) == 0;
}

bool info_are_reports(struct gt_cli *cli)
{
    for (int i = 0; i < cli->n_operands; i++)
        if (!is_report(cli->operands[i]))
            return false;
    if (cli->report && is_report(cli->report)) {
        first = cli->report;
        cli->report = NULL;
    }
    return true;
}

static int read_report(struct json_object **report, const char *path, struct gt_budget *budget, struct gt_err *err)
{
    struct gt_str text = {0};
    char block[65536];
    size_t n;
    FILE *file = fopen(path, "re");
    if (!file)
        return gt_fail_errno(err, errno, "cannot open '%s'", path);
    while ((n = fread(block, 1, sizeof block, file)) > 0 && text.len < GT_META_MAX)
        gt_str_addn(&text, block, n);
    int status = ferror(file) ? gt_fail_errno(err, errno, "cannot read '%s'", path) : gt_str_check(&text, err);
    fclose(file);
    if (!status)
        status = gt_json_parse(report, text.s, text.len, path, budget, err);
    gt_str_release(&text);
    return status;
}

static double number_at(struct json_object *report, const char *part, const char *key)
{
    return json_object_get_double(gt_json_get(gt_json_get(report, part), key));
}

static const char *text_at(struct json_object *report, const char *part, const char *key)
{
    const char *text = gt_json_text(part ? gt_json_get(report, part) : report, key);
    return text ? text : "";
}

static void add_row(struct gt_str *out, const char *path, struct json_object *report)
{
    gt_str_addf(out, "%s\t%s\t%s\t%.3f\t%.3f\t%.0f\t%.0f\t%s\t%s\n", path, text_at(report, "command", "name"),
                text_at(report, NULL, "state"), number_at(report, "time", "wall"),
                number_at(report, "time", "cpu_user") + number_at(report, "time", "cpu_system"), number_at(report, "memory_use", "peak"),
                number_at(report, "machine", "threads"), text_at(report, "limited_by", "cause"), text_at(report, "command", "line"));
}

/* The figures of one run. */
static struct json_object *figures_of(const char *path, struct json_object *report)
{
    struct json_object *o = json_object_new_object();
    bool ok = gt_json_set_text(o, "file", path);
    static const char *const parts[] = {"state", "command", "machine", "time", "memory_use", "limited_by", "stages"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && ok; i++)
        ok = gt_json_set_shared(o, parts[i], gt_json_get(report, parts[i]));
    return gt_json_if_complete(o, ok);
}

static int add_report(const struct gt_cli *cli, const char *path, struct gt_str *text, struct json_object *all, struct gt_err *err)
{
    struct json_object *report = NULL;
    int status = read_report(&report, path, (struct gt_budget *)&cli->engine.budget, err);
    if (!status && cli->json)
        status = gt_json_add(all, figures_of(path, report)) ? GT_OK : gt_fail(err, GT_FAIL, "out of memory");
    else if (!status)
        add_row(text, path, report);
    json_object_put(report);
    return status;
}

int info_reports(const struct gt_cli *cli, struct gt_outfile *out, struct gt_err *err)
{
    struct gt_str text = {0};
    struct json_object *all = json_object_new_array();
    int status = first ? add_report(cli, first, &text, all, err) : GT_OK;
    for (int i = 0; i < cli->n_operands && !status; i++)
        status = add_report(cli, cli->operands[i], &text, all, err);
    if (!status && cli->json) {
        gt_json_print(&text, all, true);
        gt_str_add(&text, "\n");
    } else if (!status) {
        static const char head[] = "report\tcommand\tstate\tseconds\tcpu_seconds\tpeak_bytes\tthreads\tlimited_by\tcommand_line\n";
        status = gt_outfile_write(out, head, sizeof head - 1, err);
    }
    status = status ? status : gt_text_put(out, &text, 0, err);
    gt_str_release(&text);
    json_object_put(all);
    return status;
}
