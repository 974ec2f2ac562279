#include <pthread.h>

#include "kernels/impl.h"

#define POLY 0x82F63B78u /* Castagnoli, reflected */

static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

/* table[k][b] is the CRC of byte b followed by k zero bytes. */
static void make_table(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLY : 0);
        table[0][b] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int b = 0; b < 256; b++)
            table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 255];
}

uint32_t gt_crc32c_ref(uint32_t crc, const void *data, size_t n)
{
    const uint8_t *p = data;
    pthread_once(&table_once, make_table);
    crc = ~crc;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t x = 0;
        for (int i = 0; i < 8; i++)
            x |= (uint64_t)p[i] << 8 * i;
        x ^= crc;
        crc = 0;
        for (int i = 0; i < 8; i++)
            crc ^= table[7 - i][x >> 8 * i & 255];
    }
    for (; n > 0; n--, p++)
        crc = crc >> 8 ^ table[0][(crc ^ *p) & 255];
    return ~crc;
}
