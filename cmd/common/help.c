/* Help: a short one that fits a screen, a long one in groups, and the list for
 * machines; all from the option table. */
#include "config.h"

#include <string.h>

#include "cmd/common/options.h"
#include "core/base/str.h"

enum { WIDTH = 79, SHORT_LINES = 23, SHORT_INDENT = 26, LONG_INDENT = 8 };

/* "a|b|c", on as many lines as it takes. */
static void add_choices(struct gt_str *out, const char *choices)
{
    size_t n, at = out->len;
    while (at > 0 && out->s[at - 1] != '\n')
        at--;
    for (at = out->len - at; *choices; choices += n, at += n) {
        n = strcspn(choices, "|");
        n += choices[n] == '|';
        if (at + n > WIDTH) {
            gt_str_addf(out, "\n%*s", LONG_INDENT + 2, "");
            at = LONG_INDENT + 2;
        }
        gt_str_addn(out, choices, n);
    }
}

/* "  -o, --output FILE" */
static void option_label(struct gt_str *out, const struct gt_opt *opt)
{
    if (opt->letter)
        gt_str_addf(out, "  -%c%s", opt->letter, opt->name ? ", " : "");
    else
        gt_str_add(out, "      ");
    if (opt->name)
        gt_str_addf(out, "--%s", opt->name);
    if (opt->kind == GT_OPT_YES && opt->choices) {
        gt_str_addf(out, "[=%s]", opt->choices);
    } else if (opt->kind == GT_OPT_CHOICE) {
        gt_str_add(out, " ");
        add_choices(out, opt->choices);
    } else if (gt_opt_takes_value(opt))
        gt_str_addf(out, " %s", opt->arg ? opt->arg : "VALUE");
}

/* Adds words of text after what stands on the last line (column `at`), breaking
 * lines at WIDTH and indenting the next ones. */
static void add_wrapped(struct gt_str *out, int at, int indent, const char *text)
{
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (at > indent && at + 1 + n > WIDTH) {
            gt_str_addf(out, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            gt_str_add(out, " ");
            at++;
        }
        gt_str_addn(out, text, (size_t)n);
        at += n;
        text += n + (text[n] == ' ');
    }
    gt_str_add(out, "\n");
}

static void add_usage(struct gt_str *out, const struct gt_cmd *cmd)
{
    gt_str_addf(out, "%s: %s\nUsage: %s ", cmd->name, cmd->summary, cmd->name);
    int indent = (int)strlen("Usage: ") + (int)strlen(cmd->name) + 1;
    add_wrapped(out, indent, indent, cmd->synopsis);
}

static int count_lines(const struct gt_str *text)
{
    int n = 0;
    for (size_t i = 0; i < text->len; i++)
        n += text->s[i] == '\n';
    return n;
}

/* "Samples and variants: -s -S --geno ..." for the options of a group from `first` on. */
static void add_names(struct gt_str *out, const struct gt_opt_table *table, enum gt_opt_group group, int first)
{
    struct gt_str names = {0};
    for (int i = first; i < table->n; i++) {
        const struct gt_opt *opt = table->opt[i];
        if (table->group[i] != group)
            continue;
        if (opt->letter)
            gt_str_addf(&names, "%s-%c", names.len ? " " : "", opt->letter);
        if (opt->name)
            gt_str_addf(&names, "%s--%s", !names.len ? "" : opt->letter ? "/" : " ", opt->name);
    }
    if (names.len) {
        const char *title = group == GT_GROUP_OWN ? "More" : gt_opt_group_title(group);
        gt_str_addf(out, "%s:", title);
        add_wrapped(out, (int)strlen(title) + 1, 2, names.s);
    }
    gt_str_release(&names);
}

/* How much of a line fits: whole words, and no half of what stands in brackets or after a semicolon. */
static int fits(const char *line, int n)
{
    if (n <= WIDTH)
        return n;
    for (n = WIDTH; n > SHORT_INDENT && line[n] != ' '; n--)
        ;
    for (int k = n; k > SHORT_INDENT && line[k] != ')'; k--)
        if (line[k] == ';' || (line[k] == ' ' && line[k + 1] == '('))
            n = k;
    return n;
}

/* whole: the help in as many lines as it takes, else as much as ends on the first. */
static void add_short_option(struct gt_str *out, const struct gt_opt *opt, bool whole)
{
    struct gt_str line = {0};
    option_label(&line, opt);
    if (whole && line.len + 2 > SHORT_INDENT) {
        gt_str_addf(out, "%s\n", line.s);
        gt_str_clear(&line);
    }
    if (line.len + 2 > SHORT_INDENT)
        gt_str_add(&line, "  ");
    else
        gt_str_addf(&line, "%*s", (int)(SHORT_INDENT - line.len), "");
    if (whole) {
        add_wrapped(&line, SHORT_INDENT, SHORT_INDENT, opt->help);
        gt_str_add(out, line.s);
    } else {
        gt_str_add(&line, opt->help);
        gt_str_addf(out, "%.*s\n", fits(line.s, (int)line.len), line.s);
    }
    gt_str_release(&line);
}

/* The first `own` options in lines, everything else by name.  Returns the number of lines. */
static int make_short(struct gt_str *out, const struct gt_cmd *cmd, const struct gt_opt_table *table, int own, bool whole)
{
    gt_str_clear(out);
    add_usage(out, cmd);
    gt_str_add(out, "\n");
    for (int i = 0; i < own; i++)
        add_short_option(out, table->opt[i], whole);
    for (int g = GT_GROUP_OWN; g < GT_N_GROUPS; g++)
        add_names(out, table, g, own);
    gt_str_addf(out, "\nMore help: %s --help, man %s\n", cmd->name, cmd->name);
    return count_lines(out);
}

/* Frees the text. */
static int put(FILE *to, struct gt_str *text, struct gt_err *err)
{
    int status = gt_str_check(text, err);
    if (!status)
        fputs(text->s, to);
    gt_str_release(text);
    return status;
}

int gt_help_short(FILE *to, const struct gt_cmd *cmd, const struct gt_opt_table *table, struct gt_err *err)
{
    struct gt_str out = {0};
    int own = 0;
    while (own < table->n && table->group[own] == GT_GROUP_OWN)
        own++;
    bool fits = make_short(&out, cmd, table, own, true) <= SHORT_LINES;
    while (!fits)
        fits = make_short(&out, cmd, table, own, false) <= SHORT_LINES || own-- == 0;
    return put(to, &out, err);
}

static void add_long_option(struct gt_str *out, const struct gt_opt *opt)
{
    option_label(out, opt);
    gt_str_addf(out, "\n%*s", LONG_INDENT, "");
    add_wrapped(out, LONG_INDENT, LONG_INDENT, opt->help);
}

int gt_help_long(FILE *to, const struct gt_cmd *cmd, const struct gt_opt_table *table, struct gt_err *err)
{
    struct gt_str out = {0};
    add_usage(&out, cmd);
    for (int i = 0; i < table->n; i++) {
        if (i == 0 || table->group[i] != table->group[i - 1])
            gt_str_addf(&out, "\n%s\n", gt_opt_group_title(table->group[i]));
        add_long_option(&out, table->opt[i]);
    }
    if (cmd->examples)
        gt_str_addf(&out, "\nExamples\n%s%s", cmd->examples,
                    cmd->examples[0] && cmd->examples[strlen(cmd->examples) - 1] != '\n' ? "\n" : "");
    gt_str_add(&out, "\nExit status: 0 success, 1 failure while running, 2 usage error, 3 malformed\n"
                     "or inconsistent input, 4 more memory needed than --memory allows.\n");
    return put(to, &out, err);
}

void gt_help_list(FILE *to, const struct gt_opt_table *table)
{
    static const char *const kinds[] = {
        [GT_OPT_FLAG] = "flag", [GT_OPT_NEGATE] = "flag",   [GT_OPT_YES] = "flag",   [GT_OPT_NO] = "flag",
        [GT_OPT_TEXT] = "text", [GT_OPT_COUNT] = "count",   [GT_OPT_SIZE] = "size",  [GT_OPT_REAL] = "real",
        [GT_OPT_RATE] = "rate", [GT_OPT_CHOICE] = "choice", [GT_OPT_READS] = "file", [GT_OPT_WRITES] = "file",
    };
    for (int i = 0; i < table->n; i++) {
        const struct gt_opt *opt = table->opt[i];
        const char *arg = opt->kind == GT_OPT_CHOICE ? opt->choices : opt->arg ? opt->arg : "-";
        fprintf(to, "%c\t%s\t%s\t%s\t%s\n", opt->letter ? opt->letter : '-', opt->name ? opt->name : "-", kinds[opt->kind], arg, opt->help);
    }
}
