/* Trees as Newick. */
#include <string.h>

#include "calc/pair_files/tree_and_heatmap_internal.h"
#include "storage/text/decimal.h"
#include "storage/text/text_file.h"

/* A node whose children are being written, and how many were. */
struct open {
    uint32_t join;
    int done;
};

/* Quoted where a character has a meaning in Newick, or is none of ASCII's visible ones.  A bare _ is read as a blank. */
static void add_name(struct gt_str *text, const char *name)
{
    const char *at = name;
    while (*at > ' ' && *at < 0x7f && !strchr("()[]{}:;,'\"_", *at))
        at++;
    if (*name && !*at) {
        gt_str_add(text, name);
        return;
    }
    gt_str_add(text, "'");
    for (at = name; *at; at++)
        gt_str_addn(text, *at == '\'' ? "''" : at, *at == '\'' ? 2 : 1);
    gt_str_add(text, "'");
}

static void add_length(struct gt_str *text, double length)
{
    char number[GT_DECIMAL_LEN];
    gt_str_add(text, ":");
    gt_str_addn(text, number, (size_t)(gt_decimal_double(number, length == 0 ? 0 : length) - number)); /* no -0 */
}

/* The next child of the join on top of the stack, or its end. */
static void step(struct gt_str *text, const struct gt_join *join, const struct gt_strs *ids, struct open *stack, int64_t *depth)
{
    struct open *top = &stack[*depth - 1];
    const struct gt_join *of = &join[top->join];
    if (top->done == of->children) {
        gt_str_add(text, ")");
        if (--*depth) {
            top = &stack[*depth - 1];
            add_length(text, join[top->join].length[top->done - 1]);
        }
        return;
    }
    gt_str_add(text, top->done ? "," : "(");
    const uint32_t child = of->child[top->done++];
    if (child >= ids->n) {
        stack[(*depth)++] = (struct open){child - (uint32_t)ids->n, 0};
        return;
    }
    add_name(text, gt_strs_get(ids, child));
    add_length(text, of->length[top->done - 1]);
}

int gt_newick_write(struct gt_outfile *file, const struct gt_buf *joins, const struct gt_strs *ids, struct gt_err *err)
{
    enum { GATHER = 64 << 10 };
    const struct gt_join *join = (const struct gt_join *)(const void *)joins->data;
    const int64_t n = (int64_t)(joins->len / sizeof *join);
    struct gt_buf stack = {.budget = joins->budget};
    struct gt_str text = {0};
    int64_t depth = 0;
    int status = gt_buf_resize(&stack, (size_t)(n + 1) * sizeof(struct open), err);
    struct open *open = (struct open *)(void *)stack.data;
    if (!status && n)
        open[depth++] = (struct open){(uint32_t)n - 1, 0};
    else if (!status && ids->n)
        add_name(&text, gt_strs_get(ids, 0));
    while (depth && !status) {
        step(&text, join, ids, open, &depth);
        if (text.len > GATHER)
            status = gt_text_put(file, &text, 0, err);
    }
    gt_str_add(&text, ";\n");
    status = status ? status : gt_text_put(file, &text, 0, err);
    gt_buf_release(&stack);
    gt_str_release(&text);
    return status;
}
