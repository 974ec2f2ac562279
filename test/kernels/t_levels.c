/* Level tables: every slot filled, selection by name, best level by default. */
#include <string.h>

#include "kernels/kernels.h"
#include "test/support/tap.h"

static void check_slots(const struct gt_kernels *k)
{
    ok(k->pair.bytes && k->pair.encode && k->pair.tile && k->pair_agree.bytes && k->pair_agree.encode && k->pair_agree.tile,
       "%s: pair slots", k->name);
    ok(k->sketch && k->sketch_gaps && k->sketch_lists && k->turn_codes, "%s: sketch slots", k->name);
    ok(k->bits_split && k->bits_pair && k->bits_turn && k->bits_sum && k->bits_add && k->bits_numbers && k->bits_tally, "%s: bit slots",
       k->name);
    ok(k->count_codes && k->list_carriers && k->add_missing && k->gather_samples && k->unpack_i8 && k->bed_to_packed && k->geno_to_packed,
       "%s: row slots", k->name);
    ok(k->pack_calls && k->pack_bcf && k->pack_haploid && k->pack_allele && k->pack_i8, "%s: slots for calls", k->name);
    ok(k->scan_gt && k->scan_gt_first && k->scan_alleles && k->write_alleles, "%s: scan slots", k->name);
    ok(k->split_delims && k->same_delims && k->marked_ints && k->fix_ints, "%s: slots for numbers in text", k->name);
}

int main(void)
{
    static const char *const names[] = {"ref", "avx2", "avx512", "avx512vbmi", "avx512amx", "neon", "neon_dot", "neon_i8mm"};
    enum { N_NAMES = sizeof names / sizeof *names };
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    ok(n >= 1 && n <= N_NAMES && !strcmp(all[0]->name, "ref"), "ref is the first of %d levels", n);
    ok(gt_kernels() == all[n - 1], "the best level is the default (%s)", gt_kernels()->name);
    for (int i = 0; i < n; i++)
        check_slots(all[i]);
    for (int i = 0; i < N_NAMES; i++) {
        const struct gt_kernels *before = gt_kernels();
        int rc = gt_kernels_select(names[i]);
        bool usable = false;
        for (int k = 0; k < n; k++)
            usable |= strcmp(all[k]->name, names[i]) == 0;
        if (usable)
            ok(rc == 0 && !strcmp(gt_kernels()->name, names[i]), "select %s", names[i]);
        else
            ok(rc == -2 && gt_kernels() == before, "select %s: this cpu or build lacks it", names[i]);
    }
    ok(gt_kernels_select("sse9") == -1 && gt_kernels_select("avx51") == -1 && gt_kernels_select("REF") == -1, "unknown names");
    gt_kernels_select("ref");
    ok(gt_kernels_select("") == 0 && gt_kernels() == all[n - 1], "empty name: the best level");
    gt_kernels_select("ref");
    ok(gt_kernels_select(NULL) == 0 && gt_kernels() == all[n - 1], "NULL: the best level");
    ok(!strncmp(gt_kernels_compiled(), "ref", 3) && strstr(gt_kernels_compiled(), all[n - 1]->name), "compiled: %s", gt_kernels_compiled());
    return done_testing();
}
