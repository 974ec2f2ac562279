/* The long table of pairs. */
#include "calc/pair_files/pair_writers_internal.h"
#include "storage/text/text_file.h"

void gt_list_head(struct gt_str *text, const char *value)
{
    gt_str_addf(text, "id1\tid2\t%s\tn\n", value);
}

char *gt_list_numbers(char *at, double value, double sites)
{
    at = gt_decimal_double(at, value);
    *at++ = '\t';
    at = gt_decimal_double(at, sites);
    *at++ = '\n';
    return at;
}

void gt_list_line(struct gt_str *text, const char *id1, const char *id2, double value, double sites)
{
    char numbers[GT_LIST_NUMBERS];
    gt_str_add(text, id1);
    gt_str_addn(text, "\t", 1);
    gt_str_add(text, id2);
    gt_str_addn(text, "\t", 1);
    gt_str_addn(text, numbers, (size_t)(gt_list_numbers(numbers, value, sites) - numbers));
}

int gt_list_put(struct gt_outfile *file, struct gt_str *text, bool all, struct gt_err *err)
{
    return gt_text_put(file, text, all ? 1 : GT_TEXT_GATHER, err);
}
