/* Memory between two pages that cannot be touched: a kernel that reads or writes
 * past what it may stops the test program. */
#ifndef GT_TEST_GUARD_H
#define GT_TEST_GUARD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct guard {
    uint8_t *data; /* n bytes; the last one stands before a forbidden page */
    void *map;
    size_t mapped;
};

/* at_start: the first byte stands behind a forbidden page instead. */
__attribute__((unused)) static struct guard guard_new(size_t n, int at_start)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (n + page - 1) / page * page;
    struct guard g = {.mapped = inner + 2 * page};
    g.map = mmap(NULL, g.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.map == MAP_FAILED || mprotect(g.map, page, PROT_NONE) || mprotect((char *)g.map + page + inner, page, PROT_NONE)) {
        puts("Bail out! cannot map guarded memory");
        exit(1);
    }
    g.data = (uint8_t *)g.map + page + (at_start ? 0 : inner - n);
    return g;
}

__attribute__((unused)) static void guard_free(struct guard *g)
{
    munmap(g->map, g->mapped);
}

/* xorshift64*: test data only. */
__attribute__((unused)) static uint32_t rnd(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x >> 12, x ^= x << 25, x ^= x >> 27;
    return (uint32_t)(x * 2685821657736338717u >> 32);
}

#endif
