#include "storage/text/npy_head.h"

#include <stdio.h>
#include <string.h>

#include "core/base/le.h"

size_t gt_npy_head(char head[GT_NPY_HEAD], const char *type, const char *shape, bool fortran)
{
    memset(head, ' ', GT_NPY_HEAD);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    int len = snprintf(head + 10, GT_NPY_HEAD - 10, "{'descr': '%.31s', 'fortran_order': %s, 'shape': %.767s, }", type,
                       fortran ? "True" : "False", shape);
    head[10 + len] = ' ';
    size_t total = ((size_t)len + 11 + 63) / 64 * 64;
    head[total - 1] = '\n';
    head[8] = (char)((total - 10) & 0xff);
    head[9] = (char)((total - 10) >> 8);
    return total;
}

void gt_npy_numbers(double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits = gt_as_le64(bits);
        memcpy(&values[i], &bits, sizeof bits);
    }
}
