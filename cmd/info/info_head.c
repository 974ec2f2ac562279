/* --head N: the first values of an array along its first axis, a line each; numbers
 * through a matrix. */
#include "cmd/info/info.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine/memory_plan.h"
#include "kernels/half.h"

static void add_real(struct gt_str *out, double d, int digits)
{
    char text[40];

    for (int n = 6; n <= digits; n++) { /* as short as it can be read back */
        snprintf(text, sizeof text, "%.*g", n, d);
        if (digits == 9 ? strtof(text, NULL) == (float)d : strtod(text, NULL) == d)
            break;
    }
    gt_str_add(out, text);
}

static void add_number(struct gt_str *out, enum gt_type type, const uint8_t *p)
{
    int64_t whole = type <= GT_U64 ? gt_dtype_load_int(type, gt_dtype_of(type).size, p) : 0;
    uint16_t h;
    float f;
    double d;

    if (type == GT_F16) {
        memcpy(&h, p, 2);
        add_real(out, (double)gt_half_number(h), 9);
    } else if (type == GT_F32) {
        memcpy(&f, p, 4);
        add_real(out, (double)f, 9);
    } else if (type == GT_F64) {
        memcpy(&d, p, 8);
        add_real(out, d, 17);
    } else if (type == GT_BOOL) {
        gt_str_add(out, whole ? "true" : "false");
    } else if (type == GT_U64) {
        gt_str_addf(out, "%llu", (unsigned long long)whole);
    } else {
        gt_str_addf(out, "%lld", (long long)whole);
    }
}

/* Days since 1970 in the calendar, as Howard Hinnant's "chrono-compatible low-level date algorithms" do it. */
static void add_date(struct gt_str *out, int64_t days)
{
    int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100), m = (5 * of_year + 2) / 153;
    int64_t month = m < 10 ? m + 3 : m - 9;
    year += era * 400 + (month <= 2);
    gt_str_addf(out, "%s%04lld-%02lld-%02lld", year < 0 ? "-" : "", llabs(year), (long long)month,
                (long long)(of_year - (153 * m + 2) / 5 + 1));
}

/* A time as ISO 8601 has it where the unit is one of those below and the year not absurd, else the number. */
static void add_time(struct gt_str *out, const char *unit, int64_t x)
{
    static const struct {
        const char *name;
        int64_t a_day;
        int digits;
    } units[] = {{"D", 1, -1}, {"s", 86400, 0}, {"ms", 86400000, 3}, {"us", 86400000000, 6}, {"ns", 86400000000000, 9}};
    size_t i = 0;
    while (i < sizeof units / sizeof *units && strcmp(units[i].name, unit) != 0)
        i++;
    if (i == sizeof units / sizeof *units || llabs(x / units[i].a_day) > 4000000) {
        gt_str_addf(out, "%lld", (long long)x);
        return;
    }
    int64_t day = x / units[i].a_day - (x % units[i].a_day < 0), in = x - day * units[i].a_day;
    int64_t a_second = units[i].a_day < 86400 ? 1 : units[i].a_day / 86400, second = in / a_second;
    add_date(out, day);
    if (units[i].digits >= 0)
        gt_str_addf(out, "T%02d:%02d:%02d", (int)(second / 3600), (int)(second / 60 % 60), (int)(second % 60));
    if (units[i].digits > 0)
        gt_str_addf(out, ".%0*lld", units[i].digits, (long long)(in % a_second));
}

/* As numpy writes it. */
static void add_complex(struct gt_str *out, enum gt_type part, const uint8_t *p)
{
    struct gt_str imaginary = {0};
    add_number(out, part, p);
    add_number(&imaginary, part, p + gt_dtype_of(part).size);
    if (imaginary.s)
        gt_str_addf(out, "%s%sj", *imaginary.s == '-' ? "" : "+", imaginary.s);
    gt_str_release(&imaginary);
}

void info_add_item(struct gt_str *out, const struct gt_dtype *dtype, const uint8_t *item)
{
    int64_t x = dtype->type >= GT_DATETIME ? gt_dtype_load_int(GT_I64, 8, item) : 0;
    if (dtype->type == GT_C64 || dtype->type == GT_C128)
        add_complex(out, dtype->type == GT_C64 ? GT_F32 : GT_F64, item);
    else if (x == INT64_MIN)
        gt_str_add(out, "NaT");
    else if (dtype->type == GT_DATETIME)
        add_time(out, dtype->unit, x);
    else
        gt_str_addf(out, "%lld", (long long)x);
}

/* The rows of a block; values of the last of three or more axes stand together. */
static void print_rows(const struct gt_matrix_info *info, const struct gt_matrix_block *block, struct gt_str *out)
{
    const size_t size = gt_dtype_of(info->type).size;
    const int64_t inner = info->ndim > 2 ? info->shape[info->ndim - 1] : 1;
    const uint8_t *p = block->values.data;
    for (int64_t r = 0; r < block->n; r++) {
        for (int64_t k = 0; k < info->columns; k++, p += size) {
            if (k > 0)
                gt_str_add(out, k % inner != 0 ? "," : "\t");
            add_number(out, info->type, p);
        }
        gt_str_add(out, "\n");
    }
}

static int settle(const struct gt_cli *cli, struct gt_matrix *matrix, int64_t rows, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(matrix);
    struct gt_allotment allotment = {.name = "reading", .minimum = info->read_minimum, .preferred = info->read_preferred};
    int status = gt_memory_plan_fit(&allotment, 1, &cli->engine, err);
    gt_matrix_set_memory(matrix, allotment.size);
    return status ? status : gt_matrix_reblock(matrix, rows > 0 ? rows : 1, err);
}

int info_head_numbers(const struct gt_cli *cli, struct gt_matrix *matrix, int64_t n, struct gt_outfile *out, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(matrix);
    const struct gt_matrix_block *block;
    struct gt_str text = {0};
    if (info->columns == 0)
        return GT_OK;
    int status = settle(cli, matrix, n, err);
    if (status || cli->dry_run)
        return status;
    status = gt_matrix_range(matrix, 0, n < info->rows ? n : info->rows, err);
    while (!status && (status = gt_matrix_next(matrix, &block, err)) == 0) {
        gt_str_clear(&text);
        print_rows(info, block, &text);
        gt_matrix_done(matrix, block);
        status = gt_text_put(out, &text, 0, err);
    }
    gt_str_release(&text);
    return status == GT_END ? GT_OK : status;
}
