#include "config.h"

#include "cmd/common/suggest.h"

#include <string.h>

#include "core/base/str.h"

/* See cmd/common/hints.def. */
enum row_kind { ROW_OPTION, ROW_OPERAND, ROW_VALUE };
static const struct row {
    enum row_kind kind;
    const char *program, *theirs, *needs, *ours, *note;
} rows[] = {
#define OPTION(program, theirs, needs, ours, note) {ROW_OPTION, program, theirs, needs, ours, note},
#define OPERAND(program, theirs, needs, ours) {ROW_OPERAND, program, theirs, needs, ours, ""},
#define VALUE(theirs, ours, note) {ROW_VALUE, "", theirs, "", ours, note},
#include "cmd/common/hints.def"
#undef OPTION
#undef OPERAND
#undef VALUE
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool has_option(const struct gt_opt_table *table, const char *name)
{
    for (int i = 0; i < table->n; i++)
        if (table->opt[i]->name && strcmp(table->opt[i]->name, name) == 0)
            return true;
    return false;
}

static bool same(const char *text, const char *word, size_t n)
{
    return strlen(text) == n && memcmp(text, word, n) == 0;
}

/* --- slips ---------------------------------------------------------------------- */

enum { LONGEST = 32 };

static int minimum(int a, int b)
{
    return a < b ? a : b;
}

/* Letters to add, drop, change or swap with the next one: the distance of optimal
 * string alignment, by rows of its table. */
static int edits(const char *a, size_t n, const char *b, size_t m)
{
    int row[3][LONGEST + 1];
    for (size_t j = 0; j <= m; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = minimum(minimum(now[j - 1], before[j]) + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = minimum(now[j], row[(i + 1) % 3][j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

/* How far the word is from what was written; LONGEST: it is something else.  A
 * beginning is nearer than any slip. */
static int distance(const char *written, size_t n, const char *word, size_t m)
{
    if (n >= 2 && n < m && memcmp(written, word, n) == 0)
        return 0;
    if (n < 3 || n > LONGEST || m > LONGEST)
        return LONGEST;
    int d = edits(written, n, word, m);
    return d <= (n < 6 ? 1 : 2) ? d : LONGEST;
}

/* --- hints ------------------------------------------------------------------------ */

static void hint_row(const struct row *row, struct gt_err *err)
{
    const char *colon = *row->note ? ": " : "";
    const size_t n = strlen(row->program);
    if (!*row->ours)
        gt_hint(err, "leave out %s%s%s", row->theirs, colon, row->note);
    else if (*row->program)
        gt_hint(err, "%s'%s %s is %s here%s%s", row->program, row->program[n - 1] == 's' ? "" : "s", row->theirs, row->ours, colon,
                row->note);
    else
        gt_hint(err, "use %s%s%s", row->ours, colon, row->note);
}

/* name: n bytes, without dashes. */
static bool hint_foreign(const struct gt_opt_table *table, const char *name, size_t n, struct gt_err *err)
{
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        const char *first = row->theirs + strspn(row->theirs, "-");
        const size_t len = strcspn(first, " ");
        if (row->kind == ROW_OPTION && len == n && memcmp(first, name, n) == 0 && has_option(table, row->needs)) {
            hint_row(row, err);
            return true;
        }
    }
    return false;
}

void gt_suggest_option(const struct gt_opt_table *table, const char *name, size_t n, struct gt_err *err)
{
    const char *best = NULL;
    int nearest = LONGEST;
    if (hint_foreign(table, name, n, err))
        return;
    for (int i = 0; i < table->n; i++) {
        const char *known = table->opt[i]->name;
        int d = known ? distance(name, n, known, strlen(known)) : LONGEST;
        if (d < nearest) {
            nearest = d;
            best = known;
        }
    }
    if (best)
        gt_hint(err, "did you mean '--%s'?", best);
}

void gt_suggest_letter(const struct gt_opt_table *table, char letter, struct gt_err *err)
{
    hint_foreign(table, &letter, 1, err);
}

static bool is_number(const char *text)
{
    return *text && !text[strspn(text, "0123456789.")];
}

/* Is the operand a word after the option of the row, or a number where that is one? */
static bool follows(const struct row *row, const char *operand)
{
    for (const char *word = strchr(row->theirs, ' '); word; word = strchr(word + 1, ' ')) {
        const size_t n = strcspn(word + 1, " ");
        if (same(operand, word + 1, n) || (is_number(operand) && strspn(word + 1, "0123456789.") == n))
            return true;
    }
    return false;
}

static bool option_was_given(const struct gt_opt_table *table, const char *theirs)
{
    const char *name = theirs + strspn(theirs, "-");
    const size_t n = strcspn(name, " ");
    for (int i = 0; i < table->n; i++) {
        const struct gt_opt *opt = table->opt[i];
        if (table->given[i] && ((n == 1 && opt->letter == *name) || (opt->name && same(opt->name, name, n))))
            return true;
    }
    return false;
}

bool gt_suggest_operand(const struct gt_opt_table *table, const char *operand, struct gt_err *err)
{
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (row->kind == ROW_OPERAND && has_option(table, row->needs) && option_was_given(table, row->theirs) && follows(row, operand)) {
            hint_row(row, err);
            return true;
        }
    return false;
}

/* "a|b|c" as "choose a, b or c". */
static void hint_choices(const char *choices, struct gt_err *err)
{
    struct gt_str list = {0};
    for (const char *p = choices; *p;) {
        const size_t n = strcspn(p, "|");
        gt_str_addf(&list, "%s%.*s", p == choices ? "" : p[n] ? ", " : " or ", (int)n, p);
        p += n + (p[n] != '\0');
    }
    if (list.s)
        gt_hint(err, "choose %s", list.s);
    gt_str_release(&list);
}

void gt_suggest_choice(const char *choices, const char *text, struct gt_err *err)
{
    size_t len = strlen(text), n, best_n = 0;
    const char *best = NULL, *meant = text, *note = "";
    int nearest = LONGEST;
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (row->kind == ROW_VALUE && strcmp(strchr(row->theirs, ' ') + 1, text) == 0) {
            meant = row->ours;
            note = row->note;
        }
    for (const char *p = choices;; p += n + 1) {
        n = strcspn(p, "|");
        int d = meant != text ? (same(meant, p, n) ? 0 : LONGEST) : distance(text, len, p, n);
        if (d < nearest) {
            nearest = d;
            best = p;
            best_n = n;
        }
        if (!p[n])
            break;
    }
    if (best)
        gt_hint(err, "did you mean '%.*s'?%s%s", (int)best_n, best, *note ? " " : "", note);
    hint_choices(choices, err);
}
