#include "config.h"

#include "cmd/figures/flow_titles.h"

#include <stddef.h>
#include <string.h>

const char *gt_flow_title(const char *flow)
{
    static const struct {
        const char *flow, *title;
    } titles[] = {
        {"bgzf", "BGZF blocks"},
        {"check", "chunks checked"},
        {"compress", "compression"},
        {"copy", "chunks copied"},
        {"decode", "chunks decoded"},
        {"decompress", "decompression"},
        {"distances", "matrix of pairs"},
        {"encode", "chunks encoded"},
        {"loadings", "loadings"},
        {"look", "allele frequencies"},
        {"matrix", "array"},
        {"means", "column means"},
        {"multiply", "products with vectors"},
        {"pack", "store written"},
        {"pdist", "sums of pairs"},
        {"pi", "random points"},
        {"project", "projection on PCs"},
        {"put", "fields written"},
        {"read back", "temporary file read"},
        {"rechunk", "chunks written"},
        {"recode", "chunks recoded"},
        {"reduce", "reduction"},
        {"rest", "sums of pairs, last rows"},
        {"rows", "PLINK genotypes"},
        {"sim", "simulation"},
        {"spill", "temporary file written"},
        {"stats", "statistics"},
        {"survey", "column moments"},
        {"text", "text lines"},
        {"truth", "true frequencies"},
        {"turn", "transposition"},
        {"unpack", "records written"},
        {"vcf", "VCF records"},
        {"whiten", "Mahalanobis transform"},
        {"zarr", "Zarr chunks"},
    };
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (!strcmp(titles[i].flow, flow))
            return titles[i].title;
    return flow;
}

const char *gt_flow_counts(const char *flow)
{
    static const char *const of_array[] = {"copy", "read back", "rechunk", "recode", "spill"};
    for (size_t i = 0; i < sizeof of_array / sizeof *of_array; i++)
        if (!strcmp(of_array[i], flow))
            return "array";
    return "pass";
}
