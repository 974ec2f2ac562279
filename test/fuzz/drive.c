/* fuzz_x [ROUNDS [SEED]].  Built with GT_FUZZ_ENGINE there is no such program: an engine
 * calls the target, and what is done here is to write the seeds for it. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { ROOM = 1 << 20, ROUNDS = 3000 };

#ifdef GT_FUZZ_ENGINE

int LLVMFuzzerInitialize(int *argc, char ***argv);

/* The seeds as files in $GT_FUZZ_SEEDS, where that is set. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static uint8_t seed[ROOM];
    const char *dir = getenv("GT_FUZZ_SEEDS");
    char path[4096];
    size_t n;
    (void)argc;
    (void)argv;
    for (unsigned which = 0; dir && (n = fuzz_seed(which, seed, ROOM)) > 0; which++) {
        snprintf(path, sizeof path, "%s/seed%u", dir, which);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(seed, 1, n, f) != n || fclose(f))
            abort();
    }
    return 0;
}

#else

static uint64_t state;

static uint32_t random_below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* A few changes of the n bytes: bits, bytes, numbers that are large, pieces
 * that are moved, a shorter end. */
static size_t change(uint8_t *data, size_t n)
{
    for (uint32_t i = 1 + random_below(4); i > 0 && n > 0; i--) {
        size_t at = random_below((uint32_t)n), left = n - at;
        switch (random_below(6)) {
        case 0:
            data[at] ^= (uint8_t)(1u << random_below(8));
            break;
        case 1:
            data[at] = (uint8_t)random_below(256);
            break;
        case 2:
            memset(data + at, random_below(2) ? 255 : 0, left < 8 ? left : random_below(8));
            break;
        case 3:
            memmove(data + at, data + random_below((uint32_t)at + 1), random_below((uint32_t)left));
            break;
        case 4:
            data[at] = (uint8_t)(data[at] + 1);
            break;
        default:
            if (random_below(4) == 0)
                n = at;
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : ROUNDS;
    uint8_t *seed = malloc(ROOM), *data = malloc(ROOM);
    unsigned n_seeds = 0;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    while (seed && data && fuzz_seed(n_seeds, seed, ROOM) > 0)
        n_seeds++;
    for (unsigned which = 0; which < n_seeds; which++) {
        size_t n = fuzz_seed(which, seed, ROOM);
        LLVMFuzzerTestOneInput(seed, n);
        for (long i = 0; i < rounds / n_seeds; i++) {
            uint8_t *exact;
            memcpy(data, seed, n);
            size_t changed = change(data, n);
            if (!(exact = malloc(changed > 0 ? changed : 1))) /* of this size, so that reads past the end are seen */
                break;
            memcpy(exact, data, changed);
            LLVMFuzzerTestOneInput(exact, changed);
            free(exact);
        }
    }
    free(seed);
    free(data);
    printf("1..1\n%s 1 - %ld changed forms of %u seeds did no harm\n", n_seeds > 0 ? "ok" : "not ok", rounds, n_seeds);
    return n_seeds == 0;
}

#endif
