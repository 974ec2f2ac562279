/* A fuzzer's bytes as choices: each takes one or two, the rest of them are 0 when the
 * bytes have run out, so that whatever is built of them has an end. */
#ifndef GT_FUZZ_CHOICES_H
#define GT_FUZZ_CHOICES_H

#include <stdint.h>

struct choices {
    const uint8_t *at, *end;
};

static inline unsigned choice_byte(struct choices *c)
{
    return c->at < c->end ? *c->at++ : 0;
}

/* 0 .. n - 1 */
static inline unsigned choose(struct choices *c, unsigned n)
{
    unsigned x = choice_byte(c);
    return n > 256 ? (x << 8 | choice_byte(c)) % n : x % n;
}

#endif
