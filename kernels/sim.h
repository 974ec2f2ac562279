/* Constants of Philox4x32-10 for the sampling kernels. */
#ifndef GT_KERNELS_SIM_H
#define GT_KERNELS_SIM_H

#include "kernels/impl.h"

#define GT_PHILOX_M0 0xD2511F53u
#define GT_PHILOX_M1 0xCD9E8D57u
#define GT_PHILOX_W0 0x9E3779B9u
#define GT_PHILOX_W1 0xBB67AE85u
#define GT_PHILOX_ROUNDS 10

#endif
