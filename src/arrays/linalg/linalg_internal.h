/* What the parts of calc/linalg.h share. */
#ifndef GT_CALC_LINALG_IMPL_H
#define GT_CALC_LINALG_IMPL_H

#include <cblas.h>

#include "arrays/linalg/linalg.h"

/* Around every call of the libraries. */
void gt_linalg_enter(void);
void gt_linalg_leave(void);

#endif
