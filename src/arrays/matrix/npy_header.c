/* The header of a .npy file: a Python dict as text, {'descr': '<f8', 'fortran_order': False,
 * 'shape': (3, 4), }.  Nothing in it is believed before it was looked at. */
#include "config.h"

#include <string.h>

#include "arrays/matrix/matrix_impl.h"
#include "core/base/le.h"
#include "core/base/size.h"

#define MAGIC "\x93NUMPY"
#define MAX_HEADER ((size_t)1 << 20)

struct parse {
    const char *p, *end, *name;
    struct gt_npy *npy;
    struct gt_err *err;
    bool descr, order, shape; /* met */
};

static int bad(const struct parse *s, const char *what)
{
    return gt_fail(s->err, GT_INPUT, "'%s': bad .npy header: %s", s->name, what);
}

static void skip_space(struct parse *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r'))
        s->p++;
}

/* The next character that is no space; 0 at the end. */
static char next(struct parse *s)
{
    skip_space(s);
    return s->p < s->end ? *s->p : 0;
}

static bool take(struct parse *s, char c)
{
    if (next(s) != c)
        return false;
    s->p++;
    return true;
}

/* A short string in quotes. */
static bool text(struct parse *s, char *out, size_t room)
{
    char quote = next(s);
    if (quote != '\'' && quote != '"')
        return false;
    const char *from = ++s->p, *to = memchr(from, quote, (size_t)(s->end - from));
    if (!to || (size_t)(to - from) >= room)
        return false;
    memcpy(out, from, (size_t)(to - from));
    out[to - from] = '\0';
    s->p = to + 1;
    return true;
}

/* Is it a type of NumPy that we do not read: texts, bytes, objects, complex and long numbers, dates? */
static bool is_foreign(const char *type)
{
    static const char *const whole[] = {"O", "c8", "c16", "c32", "f12", "f16"};
    const size_t digits = *type ? strspn(type + 1, "0123456789") : 0;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(type, whole[i]) == 0)
            return true;
    if (*type == 'U' || *type == 'S' || *type == 'a' || *type == 'V')
        return digits > 0 && digits < 10 && !type[1 + digits];
    return (*type == 'M' || *type == 'm') && type[1] == '8' && (!type[2] || (type[2] == '[' && type[strlen(type) - 1] == ']'));
}

static int parse_descr(struct parse *s)
{
    char descr[64];
    if (next(s) == '[' && s->end - s->p > 1 && s->p[1] == '(')
        return gt_fail_unsupported(s->err, "'%s' is a structured array; only numbers are supported", s->name);
    if (!text(s, descr, sizeof descr))
        return bad(s, "descr is not a data type");
    if (descr[0] == '=')
        descr[0] = '<';
    int status = gt_dtype_parse_v2(&s->npy->dtype, descr, NULL);
    if (!status && s->npy->dtype.type <= GT_F64)
        return 0;
    if (!is_foreign(descr + (*descr && strchr("<>|", *descr))))
        return bad(s, "descr is not a data type");
    return gt_fail_unsupported(s->err, "'%s' has type '%s'; only integers, floats and booleans are supported", s->name, descr);
}

static bool word(struct parse *s, const char *w)
{
    size_t n = strlen(w);
    skip_space(s);
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, w, n) != 0)
        return false;
    s->p += n;
    return true;
}

static bool extent(struct parse *s, int64_t *n)
{
    *n = 0;
    skip_space(s);
    const char *from = s->p;
    for (; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++)
        if (__builtin_mul_overflow(*n, 10, n) || __builtin_add_overflow(*n, *s->p - '0', n))
            return false;
    bool any = s->p > from;
    if (any && s->p < s->end && *s->p == 'L')
        s->p++;
    return any;
}

static int parse_shape(struct parse *s)
{
    if (!take(s, '('))
        return bad(s, "shape is not a tuple");
    while (!take(s, ')')) {
        if (s->npy->ndim == GT_MAX_DIMS)
            return bad(s, "more than 32 axes");
        if (!extent(s, &s->npy->shape[s->npy->ndim++]))
            return bad(s, "shape contains a value that is not a size");
        if (!take(s, ',') && next(s) != ')')
            return bad(s, "shape is not closed");
    }
    return 0;
}

static int parse_entry(struct parse *s)
{
    char key[32];
    bool *met;
    if (!text(s, key, sizeof key) || !take(s, ':'))
        return bad(s, "a key is missing");
    met = strcmp(key, "descr") == 0           ? &s->descr
          : strcmp(key, "fortran_order") == 0 ? &s->order
          : strcmp(key, "shape") == 0         ? &s->shape
                                              : NULL;
    if (!met || *met)
        return bad(s, met ? "a key occurs twice" : "an unknown key");
    *met = true;
    if (met == &s->descr)
        return parse_descr(s);
    if (met == &s->shape)
        return parse_shape(s);
    s->npy->fortran = word(s, "True");
    return s->npy->fortran || word(s, "False") ? 0 : bad(s, "fortran_order is neither True nor False");
}

static int parse_dict(struct parse *s)
{
    if (!take(s, '{'))
        return bad(s, "it is no dict");
    while (!take(s, '}')) {
        int status = parse_entry(s);
        if (status)
            return status;
        if (!take(s, ',') && next(s) != '}')
            return bad(s, "the dict is not closed");
    }
    if (next(s))
        return bad(s, "text after the dict");
    return s->descr && s->order && s->shape ? 0 : bad(s, "descr, fortran_order or shape is missing");
}

static int count_items(struct gt_npy *npy, const char *name, struct gt_err *err)
{
    int64_t bytes;
    bool fits = true;
    npy->items = 1;
    for (int i = 0; i < npy->ndim; i++)
        if (npy->shape[i] == 0)
            npy->items = 0;
    for (int i = 0; i < npy->ndim && npy->items; i++)
        fits = fits && gt_mul_i64(npy->items, npy->shape[i], &npy->items);
    fits = fits && gt_mul_i64(npy->items, (int64_t)npy->dtype.size, &bytes) && bytes <= INT64_MAX - npy->data;
    return fits ? 0 : gt_fail(err, GT_INPUT, "'%s': bad .npy header: the shape is too large", name);
}

int gt_npy_parse(struct gt_npy *npy, const char *name, const uint8_t *data, size_t n, size_t *need, struct gt_err *err)
{
    struct parse s = {.name = name, .npy = npy, .err = err};
    *npy = (struct gt_npy){.ndim = 0};
    *need = 12;
    if (n < *need)
        return 0;
    if (memcmp(data, MAGIC, 6) != 0)
        return gt_fail(err, GT_INPUT, "'%s' is not a .npy file", name);
    if (data[6] < 1 || data[6] > 3)
        return gt_fail(err, GT_INPUT, "'%s' is a .npy file of version %d.%d; supported are 1.0, 2.0 and 3.0", name, data[6], data[7]);
    size_t from = data[6] == 1 ? 10 : 12, length = data[6] == 1 ? gt_le16(data + 8) : gt_le32(data + 8);
    if (length > MAX_HEADER)
        return gt_fail(err, GT_INPUT, "'%s': bad .npy header: it claims %zu bytes", name, length);
    *need = from + length > 12 ? from + length : 12;
    if (n < *need)
        return 0;
    s.p = (const char *)data + from;
    s.end = s.p + length;
    npy->data = (int64_t)(from + length);
    int status = parse_dict(&s);
    return status ? status : count_items(npy, name, err);
}
