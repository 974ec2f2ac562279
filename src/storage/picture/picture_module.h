/* The module gt-picture.so: what is made with cairo, librsvg and libgvc.  It links nothing of ours. */
#ifndef GT_PICTURE_MODULE_H
#define GT_PICTURE_MODULE_H

#include <stddef.h>

#define GT_PICTURE_ABI 1
#define GT_PICTURE_SYMBOL "gt_picture_module"
enum { GT_PICTURE_ERROR = 200 };

/* Takes n bytes of the result; nonzero stops. */
typedef int gt_picture_put(void *ctx, const void *bytes, size_t n);

/* All return 0, or fill in error.  A member is NULL where its libraries were not there. */
struct gt_picture_module {
    int abi;
    /* width: pixels of 1/96 inch, 0 = what the SVG says; dpi: of PNG. */
    int (*png)(const char *svg, size_t n, double width, double dpi, gt_picture_put *put, void *ctx, char error[GT_PICTURE_ERROR]);
    int (*pdf)(const char *svg, size_t n, double width, double dpi, gt_picture_put *put, void *ctx, char error[GT_PICTURE_ERROR]);
    int (*lay_out)(const char *dot, gt_picture_put *put, void *ctx, char error[GT_PICTURE_ERROR]);
};

#endif
