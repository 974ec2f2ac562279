/* The table-driven parser. */
#include "config.h"

#include <string.h>

#include "cmd/common/options.h"
#include "cmd/common/suggest.h"
#include "core/base/size.h"
#include "core/base/str.h"

static bool help_short, help_long, version_action, list_action; /* only their addresses are used: see is_action */

static const struct gt_opt general_options[] = {
    {'h', NULL, GT_OPT_FLAG, &help_short, NULL, NULL, "print a short help"},
    {0, "help", GT_OPT_FLAG, &help_long, NULL, NULL, "print all options"},
    {0, "version", GT_OPT_FLAG, &version_action, NULL, NULL, "print version, libraries and instruction sets"},
    {0},
};

/* For completions and the check of the man pages; in no help. */
static const struct gt_opt list_option = {0, "help-options", GT_OPT_FLAG, &list_action, NULL, NULL, "the table"};

/* --- the table ---------------------------------------------------------------- */

static bool hidden(const struct gt_opt_table *table, const struct gt_opt *opt)
{
    for (int i = 0; i < table->n; i++) {
        const struct gt_opt *have = table->opt[i];
        if ((opt->letter && opt->letter == have->letter) || (opt->name && have->name && !strcmp(opt->name, have->name)))
            return true;
    }
    return false;
}

static void add_group(struct gt_opt_table *table, const struct gt_opt *opts, enum gt_opt_group group)
{
    for (; opts && (opts->name || opts->letter) && table->n < GT_OPT_MAX; opts++) {
        if (group != GT_GROUP_OWN && hidden(table, opts))
            continue;
        table->opt[table->n] = opts;
        table->group[table->n++] = group;
    }
}

void gt_opt_table_make(struct gt_opt_table *table, const struct gt_cmd *cmd)
{
    struct gt_opt_group_part parts[GT_SHARED_PARTS];
    size_t n = gt_shared_groups(cmd, parts);
    *table = (struct gt_opt_table){0};
    add_group(table, cmd->options, GT_GROUP_OWN);
    for (size_t i = 0; i < n; i++)
        add_group(table, parts[i].opts, parts[i].group);
    add_group(table, general_options, GT_GROUP_GENERAL);
}

const struct gt_opt *gt_opt_given(const struct gt_opt_table *table, enum gt_opt_group group)
{
    for (int i = 0; i < table->n; i++)
        if (table->given[i] && table->group[i] == group)
            return table->opt[i];
    return NULL;
}

bool gt_opt_was_given(const struct gt_opt_table *table, const char *name)
{
    for (int i = 0; i < table->n; i++)
        if (table->given[i] && table->opt[i]->name && strcmp(table->opt[i]->name, name) == 0)
            return true;
    return false;
}

const char *gt_opt_group_title(enum gt_opt_group group)
{
    static const char *const titles[GT_N_GROUPS] = {
        [GT_GROUP_OWN] = "Options",         [GT_GROUP_OUTPUT] = "Output",       [GT_GROUP_SELECT] = "Samples and variants",
        [GT_GROUP_RESOURCES] = "Resources", [GT_GROUP_SEED] = "Random numbers", [GT_GROUP_WATCH] = "Progress and messages",
        [GT_GROUP_GENERAL] = "General",
    };
    return titles[group];
}

/* --- values --------------------------------------------------------------------- */

/* The place of text in "a|b|c", or -1. */
static int find_choice(const char *choices, const char *text)
{
    const size_t len = strlen(text);
    for (int i = 0;; i++) {
        const size_t n = strcspn(choices, "|");
        if (n == len && !memcmp(choices, text, n))
            return i;
        if (!choices[n])
            return -1;
        choices += n + 1;
    }
}

static int store_choice(const struct gt_opt *opt, const char *text, struct gt_err *err)
{
    const int i = find_choice(opt->choices, text);
    if (i >= 0) {
        *(int *)opt->value = i;
        return GT_OK;
    }
    gt_fail(err, GT_USAGE, "unknown value '%s'", text);
    gt_suggest_choice(opt->choices, text, err);
    return GT_USAGE;
}

static int store_rate(const struct gt_opt *opt, const char *text, struct gt_err *err)
{
    double value;
    int status = gt_parse_double(text, &value, err);
    if (!status && !(value >= 0 && value <= 1))
        status = gt_fail(err, GT_USAGE, "'%s' is not between 0 and 1", text);
    if (!status)
        *(double *)opt->value = value;
    return status;
}

static int store_value(const struct gt_opt *opt, const char *text, struct gt_err *err)
{
    switch (opt->kind) {
    case GT_OPT_TEXT:
    case GT_OPT_READS:
    case GT_OPT_WRITES:
        *(const char **)opt->value = text;
        return GT_OK;
    case GT_OPT_COUNT:
        return gt_parse_count(text, opt->value, err);
    case GT_OPT_SIZE:
        return gt_parse_size(text, opt->value, err);
    case GT_OPT_REAL:
        return gt_parse_double(text, opt->value, err);
    case GT_OPT_RATE:
        return store_rate(opt, text, err);
    case GT_OPT_CHOICE:
        return store_choice(opt, text, err);
    default:
        return gt_fail(err, GT_USAGE, "takes no value");
    }
}

static void store_flag(const struct gt_opt *opt)
{
    switch (opt->kind) {
    case GT_OPT_YES:
        *(int *)opt->value = 1;
        break;
    case GT_OPT_NO:
        *(int *)opt->value = -1;
        break;
    default:
        *(bool *)opt->value = opt->kind == GT_OPT_FLAG;
    }
}

static enum gt_opt_action is_action(const struct gt_opt *opt)
{
    return opt->value == &help_short       ? GT_ACTION_SHORT_HELP
           : opt->value == &help_long      ? GT_ACTION_HELP
           : opt->value == &version_action ? GT_ACTION_VERSION
           : opt->value == &list_action    ? GT_ACTION_LIST
                                           : GT_ACTION_RUN;
}

/* --- the walk over argv ------------------------------------------------------------ */

struct walk {
    struct gt_opt_table *table;
    int argc, at; /* argv[at] is being looked at */
    char **argv;
    enum gt_opt_action request;
    struct gt_err *err;
};

/* A list, or a file to read: of two one would be lost, and what it names quietly left out or kept. */
static int check_again(const struct gt_opt *opt, const char *value, const char *shown, struct gt_err *err)
{
    const char *arg = opt->kind == GT_OPT_TEXT && opt->arg ? opt->arg : "";
    const bool list = strcmp(arg, "LIST") == 0 || strcmp(arg, "AXIS:LIST") == 0 || strcmp(arg, "SLICES") == 0;
    if (!list && opt->kind != GT_OPT_READS)
        return GT_OK;
    const char *had = *(const char **)opt->value;
    if (!had || strcmp(had, value) == 0)
        return GT_OK;
    gt_fail(err, GT_USAGE, "option '%s' was given twice: '%s' and '%s'", shown, had, value);
    if (list)
        gt_hint(err, "give one list: %s A,B", shown);
    return GT_USAGE;
}

/* "full" of --progress=full or "--progress full": the value that an option may have, or NULL. */
static const char *optional_value(struct walk *w, const struct gt_opt *opt, const char *value)
{
    const char *next = w->at + 1 < w->argc ? w->argv[w->at + 1] : "";
    if (value || find_choice(opt->choices, next) < 0)
        return value;
    w->at++;
    return next;
}

static int apply_optional(struct walk *w, const struct gt_opt *opt, const char *value, const char *shown)
{
    value = optional_value(w, opt, value);
    if (!value) {
        store_flag(opt);
        return GT_OK;
    }
    int status = store_choice(opt, value, w->err);
    if (status)
        gt_fail_prefix(w->err, "option '%s'", shown);
    else
        ++*(int *)opt->value;
    return status;
}

/* Applies opt; value is the text that stood with it, NULL if none.  shown: as the
 * user wrote it, for messages. */
static int apply(struct walk *w, const struct gt_opt *opt, const char *value, const char *shown)
{
    w->request = is_action(opt);
    if (opt->kind == GT_OPT_YES && opt->choices)
        return apply_optional(w, opt, value, shown);
    if (!gt_opt_takes_value(opt)) {
        if (value)
            return gt_fail(w->err, GT_USAGE, "option '%s' takes no value", shown);
        store_flag(opt);
        return GT_OK;
    }
    if (!value) {
        if (w->at + 1 >= w->argc)
            return gt_fail(w->err, GT_USAGE, "option '%s' needs a value", shown);
        value = w->argv[++w->at];
    }
    int status = check_again(opt, value, shown, w->err);
    if (status)
        return status;
    status = store_value(opt, value, w->err);
    if (status)
        gt_fail_prefix(w->err, "option '%s'", shown);
    return status;
}

static const struct gt_opt *take(struct gt_opt_table *table, int i)
{
    table->given[i] = true;
    return table->opt[i];
}

static int unknown_long(struct walk *w, const char *name, size_t len)
{
    gt_fail(w->err, GT_USAGE, "unknown option '--%.*s'", (int)(len < 200 ? len : 200), name);
    gt_suggest_option(w->table, name, len, w->err);
    return GT_USAGE;
}

static int parse_long(struct walk *w)
{
    char *name = w->argv[w->at] + 2;
    char *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const struct gt_opt *found = NULL;
    for (int i = 0; i < w->table->n && !found; i++) {
        const char *known = w->table->opt[i]->name;
        if (known && strlen(known) == len && !memcmp(known, name, len))
            found = take(w->table, i);
    }
    if (!found && len == strlen(list_option.name) && !memcmp(name, list_option.name, len))
        found = &list_option;
    if (!found)
        return unknown_long(w, name, len);
    char shown[64];
    snprintf(shown, sizeof shown, "--%s", found->name);
    return apply(w, found, equals ? equals + 1 : NULL, shown);
}

static int parse_letters(struct walk *w)
{
    for (const char *p = w->argv[w->at] + 1; *p && w->request == GT_ACTION_RUN; p++) {
        const struct gt_opt *found = NULL;
        for (int i = 0; i < w->table->n && !found; i++)
            if (w->table->opt[i]->letter == *p)
                found = take(w->table, i);
        if (!found) {
            gt_fail(w->err, GT_USAGE, "unknown option '-%c'", *p);
            gt_suggest_letter(w->table, *p, w->err);
            return GT_USAGE;
        }
        char shown[3] = {'-', *p, 0};
        bool rest_is_value = gt_opt_takes_value(found) && p[1];
        int status = apply(w, found, rest_is_value ? p + 1 : NULL, shown);
        if (status || gt_opt_takes_value(found))
            return status;
    }
    return GT_OK;
}

int gt_opt_parse(struct gt_opt_table *table, int argc, char **argv, int *n_operands, enum gt_opt_action *request, struct gt_err *err)
{
    struct walk w = {.table = table, .argc = argc, .at = 1, .argv = argv, .request = GT_ACTION_RUN, .err = err};
    bool options_end = false;
    int status = GT_OK, kept = 1;
    for (; w.at < argc && !status && w.request == GT_ACTION_RUN; w.at++) {
        char *arg = argv[w.at];
        if (options_end || arg[0] != '-' || !arg[1])
            argv[kept++] = arg;
        else if (!strcmp(arg, "--"))
            options_end = true;
        else
            status = arg[1] == '-' ? parse_long(&w) : parse_letters(&w);
    }
    *n_operands = kept - 1;
    *request = w.request;
    return status;
}
