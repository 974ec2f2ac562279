/* QR of blocks on a device: memory that is planned next to what is taken, and R, whose R'R is A'A. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "calc/svd/svd_qr_device.h"
#include "core/device/device_open.h"
#include "test/support/random.h"
#include "test/support/tap.h"

enum { MOST = 60 };

static double worst(int64_t rows, int64_t columns, const double *a, const double *r)
{
    double most = 0;
    for (int64_t i = 0; i < columns; i++)
        for (int64_t j = 0; j < columns; j++) {
            double of_a = 0, of_r = 0;
            for (int64_t k = 0; k < rows; k++)
                of_a += a[i * rows + k] * a[j * rows + k];
            for (int64_t k = 0; k <= (i < j ? i : j); k++)
                of_r += r[i * columns + k] * r[j * columns + k];
            most = fmax(most, fabs(of_a - of_r));
            most = i > j && r[j * columns + i] != 0 ? INFINITY : most; /* below the diagonal */
        }
    return most;
}

static void test_columns(int64_t columns)
{
    static double a[5 * MOST * MOST], r[MOST * MOST];
    struct gt_err err = {0};
    struct gt_device device;
    struct gt_qr_on_device on = {0};
    struct gt_budget budget;
    const int64_t size = (int64_t)sizeof(double), block = (columns + gt_qr_device_rows(columns)) * columns * size,
                  said = gt_qr_device_bytes(columns);
    gt_budget_init(&budget, 1 << 30);
    int status = gt_device_open(&device, "host", said, &err);
    status = status ? status : gt_qr_device_start(&on, &device, columns, &budget, &err);
    ok(!status && device.memory.used == block + columns * columns * size && said == device.memory.used + block,
       "%lld columns: %lld bytes of %lld, and room for as much as a block %s", (long long)columns, (long long)device.memory.used,
       (long long)said, err.msg);
    ok(budget.used >= columns * columns * size && budget.used < columns * columns * size + 4096, "R comes to counted memory");
    const int64_t rows[] = {columns, columns + 1, 4 * columns + 3};
    for (int k = 0; k < 3 && !status && columns <= MOST; k++) {
        for (int64_t i = 0; i < rows[k] * columns; i++)
            a[i] = (double)(random_below(2001) - 1000) / 500;
        memset(r, 0x55, sizeof r);
        static double copy[5 * MOST * MOST];
        memcpy(copy, a, sizeof a);
        status = gt_qr_device_factor(&on, rows[k], columns, copy, r, &err);
        const double off = worst(rows[k], columns, a, r);
        ok(!status && off < 1e-10 * (double)rows[k], "%lld x %lld: R'R is A'A but for %g %s", (long long)rows[k], (long long)columns, off,
           err.msg);
    }
    gt_qr_device_release(&on);
    ok(device.memory.used == 0 && budget.used == 0, "all is given back");
    gt_device_close(&device);
}

int main(void)
{
    test_columns(1);
    test_columns(7);
    test_columns(MOST);
    test_columns(1500);
    return done_testing();
}
