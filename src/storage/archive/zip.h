/* The records of a zip file, shared by its reader and writer.  Private to
 * src/store. */
#ifndef GT_STORE_ZIP_H
#define GT_STORE_ZIP_H

#include <stdint.h>

#define GT_ZIP_LOCAL 0x04034b50u   /* before each entry's data */
#define GT_ZIP_CENTRAL 0x02014b50u /* an entry of the central directory */
#define GT_ZIP_END 0x06054b50u
#define GT_ZIP_END64 0x06064b50u
#define GT_ZIP_LOCATOR64 0x07064b50u

enum { GT_ZIP_LOCAL_LEN = 30, GT_ZIP_CENTRAL_LEN = 46, GT_ZIP_END_LEN = 22, GT_ZIP_END64_LEN = 56, GT_ZIP_LOCATOR64_LEN = 20 };
enum { GT_ZIP_STORED = 0, GT_ZIP_DEFLATED = 8, GT_ZIP_ZSTD = 93 }; /* the last is read, not written */
enum { GT_ZIP_EXTRA64 = 1 };                                       /* id of the extra field with 64-bit numbers */

/* Above these the 64-bit fields are used.  Tests lower them. */
struct gt_zip_limits {
    uint64_t size, offset, count;
};
extern struct gt_zip_limits gt_zip_limits;

#endif
