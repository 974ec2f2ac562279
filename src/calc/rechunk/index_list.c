#include "calc/rechunk/index_list.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays/matrix/matrix.h"
#include "core/base/line_file.h"
#include "core/base/mem.h"

/* A list that is being read. */
struct list {
    struct gt_index_list *pick;
    const char *path, *axis;
    int64_t length;
    int64_t seen; /* booleans */
    bool numbers; /* there were numbers */
};

static int add_place(struct list *l, int64_t place, struct gt_err *err)
{
    l->pick->n++;
    return gt_buf_append(&l->pick->place, &place, sizeof place, err);
}

static int add_number(struct list *l, int64_t number, struct gt_err *err)
{
    const int64_t place = number < 0 ? number + l->length : number;
    l->numbers = true;
    if (place >= 0 && place < l->length)
        return add_place(l, place, err);
    return gt_fail(err, GT_USAGE, "'%s': index %" PRId64 " is outside the %s axis of %" PRId64, l->path, number, l->axis, l->length);
}

static int add_bool(struct list *l, bool is, struct gt_err *err)
{
    const int64_t at = l->seen++;
    return is && at < l->length ? add_place(l, at, err) : 0;
}

/* As many booleans as there are items. */
static int check_mask(const struct list *l, struct gt_err *err)
{
    if (l->seen == l->length)
        return 0;
    return gt_fail(err, GT_USAGE, "'%s' has %" PRId64 " booleans, and the %s axis has %" PRId64 " items", l->path, l->seen, l->axis,
                   l->length);
}

/* --- text ---------------------------------------------------------------------------------- */

static int on_line(void *ctx, char *text, int64_t number, struct gt_err *err)
{
    struct list *l = ctx;
    char *end;
    text += strspn(text, " \t");
    const size_t n = strcspn(text, " \t");
    const bool yes = n == 4 && strncasecmp(text, "true", n) == 0, no = n == 5 && strncasecmp(text, "false", n) == 0;
    const bool alone = text[n + strspn(text + n, " \t")] == 0;
    if (n == 0)
        return 0;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (!alone || (!yes && !no && (end != text + n || errno)) || ((yes || no) ? l->numbers : l->seen > 0))
        return gt_fail(err, GT_INPUT, "'%s', line %" PRId64 ": '%s' is not %s", l->path, number, text,
                       l->seen > 0 ? "'true' or 'false'" : "an index");
    return yes || no ? add_bool(l, yes, err) : add_number(l, value, err);
}

static int read_text(struct list *l, struct gt_err *err)
{
    int status = gt_lines_read(l->path, on_line, l, err);
    return status || l->seen == 0 ? status : check_mask(l, err);
}

/* --- arrays --------------------------------------------------------------------------------- */

static int add_values(struct list *l, enum gt_type type, const struct gt_matrix_block *block, struct gt_err *err)
{
    const size_t size = gt_dtype_of(type).size;
    int status = 0;
    for (int64_t i = 0; i < block->n && !status; i++) {
        const int64_t value = gt_dtype_load_int(type, size, block->values.data + (size_t)i * size);
        if (type == GT_BOOL)
            status = add_bool(l, value != 0, err);
        else if (type == GT_U64 && value < 0)
            status = add_number(l, INT64_MAX, err); /* that is not on any axis */
        else
            status = add_number(l, value, err);
    }
    return status;
}

static int add_blocks(struct list *l, struct gt_matrix *matrix, struct gt_err *err)
{
    const struct gt_matrix_info *info = gt_matrix_info(matrix);
    const struct gt_matrix_block *block;
    int status = 0;
    if (info->ndim != 1 || info->stored > GT_U64)
        return gt_fail(err, GT_INPUT, "'%s' is not a list of indices: %s", l->path,
                       info->ndim != 1 ? "it does not have one axis" : "its values are neither integers nor booleans");
    while (!status && (status = gt_matrix_next(matrix, &block, err)) == 0) {
        status = add_values(l, info->stored, block, err);
        gt_matrix_done(matrix, block);
    }
    status = status == GT_END ? 0 : status;
    return status || info->stored != GT_BOOL ? status : check_mask(l, err);
}

static int read_array(struct list *l, struct gt_engine *engine, struct gt_err *err)
{
    const struct gt_matrix_opts opts = {.type = GT_F64};
    struct gt_input input = {0};
    struct gt_matrix *matrix = NULL;
    int status = gt_input_open(&input, l->path, err);
    status = status ? status : gt_matrix_open(&matrix, engine, &input, &opts, err);
    status = status ? status : add_blocks(l, matrix, err);
    gt_matrix_free(matrix);
    gt_input_release(&input);
    return status;
}

/* --- all --------------------------------------------------------------------------------------- */

/* A regular file that begins neither as .npy nor as a zip, or a pipe or terminal, which can be read once. */
static bool is_text(const char *path)
{
    char head[6] = "";
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode) || S_ISSOCK(st.st_mode);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : 0;
    if (fd >= 0)
        close(fd);
    return !(n == 6 && memcmp(head, "\x93NUMPY", 6) == 0) && !(n >= 4 && memcmp(head, "PK\x03\x04", 4) == 0);
}

static int read_numbers(struct list *l, const char *numbers, struct gt_err *err)
{
    int status = GT_OK;
    for (const char *p = numbers; p && !status; p = strchr(p, ',')) {
        p += *p == ',';
        errno = 0;
        const long long value = strtoll(p, NULL, 10);
        status = errno ? gt_fail(err, GT_USAGE, "--pick: index '%.30s' is too large", p) : add_number(l, value, err);
    }
    return status;
}

int gt_index_list_read(struct gt_index_list *pick, struct gt_engine *engine, const struct gt_index_list_arg *part, int64_t length,
                       struct gt_err *err)
{
    struct list list = {.pick = pick, .path = part->path ? part->path : part->numbers, .axis = part->axis, .length = length};
    *pick = (struct gt_index_list){.place.budget = &engine->budget};
    if (part->numbers)
        return read_numbers(&list, part->numbers, err);
    return is_text(part->path) ? read_text(&list, err) : read_array(&list, engine, err);
}

int gt_index_list_of_slice(struct gt_index_list *pick, struct gt_engine *engine, const struct gt_slice *slice, int64_t length,
                           struct gt_err *err)
{
    int64_t place;
    int status = GT_OK;
    *pick = (struct gt_index_list){.place.budget = &engine->budget};
    for (int64_t n = gt_slice_backwards(slice, length, &place); pick->n < n && !status; place += slice->step) {
        pick->n++;
        status = gt_buf_append(&pick->place, &place, sizeof place, err);
    }
    return status;
}

/* Bytes of "10" or "-1" up to a comma or the end; 0: it is no integer. */
static size_t integer_len(const char *text)
{
    const size_t sign = *text == '-', n = strspn(text + sign, "0123456789");
    return n && (!text[sign + n] || text[sign + n] == ',') ? sign + n : 0;
}

/* Bytes of "10,1,5". */
static size_t integers_len(const char *text)
{
    size_t n = integer_len(text);
    while (n && text[n] == ',' && integer_len(text + n + 1))
        n += 1 + integer_len(text + n + 1);
    return n;
}

int gt_index_list_arg(struct gt_index_list_arg *part, const char *text, const char **next, struct gt_err *err)
{
    const char *colon = memchr(text, ':', strcspn(text, ","));
    const size_t len = colon ? (size_t)(colon - text) : 0, numbers = colon ? integers_len(colon + 1) : 0;
    const size_t n = numbers ? len + 1 + numbers : strcspn(text, ",");
    *part = (struct gt_index_list_arg){0};
    *next = text[n] ? text + n + 1 : NULL;
    if (!colon || len == 0 || len + 1 == n)
        return gt_fail(err, GT_USAGE, "--pick: '%.*s' is neither AXIS:FILE nor AXIS:INDEX,INDEX", (int)n, text);
    part->axis = gt_strndup(text, len, err);
    const bool input = n == len + 2 && colon[1] == '-';
    char *value = !part->axis ? NULL : input ? gt_strdup("/dev/stdin", err) : gt_strndup(colon + 1, n - len - 1, err);
    *(numbers ? &part->numbers : &part->path) = value;
    return value ? GT_OK : GT_FAIL;
}

void gt_index_list_arg_release(struct gt_index_list_arg *part)
{
    free(part->axis);
    free(part->path);
    free(part->numbers);
    *part = (struct gt_index_list_arg){0};
}

bool gt_index_list_is_slice(const struct gt_index_list *pick, int64_t *start, int64_t *step)
{
    const int64_t *place = gt_buf_i64(&pick->place);
    *start = pick->n > 0 ? place[0] : 0;
    *step = pick->n > 1 ? place[1] - place[0] : 1;
    for (int64_t i = 1; i < pick->n; i++)
        if (place[i] - place[i - 1] != *step)
            return false;
    return *step > 0;
}

void gt_index_list_release(struct gt_index_list *pick)
{
    gt_buf_release(&pick->place);
    *pick = (struct gt_index_list){0};
}
