/* --version: what this build is made of. */
#include "config.h"

#include <archive.h>
#include <blosc.h>
#include <htslib/hts.h>
#include <json-c/json_c_version.h>
#include <libdeflate.h>
#include <lz4.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "cmd/common/options.h"
#include "core/base/module.h"
#include "core/mpi/comm_mpi.h"
#include "kernels/kernels.h"
#include "storage/picture/picture.h"

/* The modules that were built; one may not be installed. */
static void print_mpi(FILE *to)
{
    const char *const *names = gt_mpi_names();
    char file[64];
    fprintf(to, "MPI modules:%s", names[0] ? "" : " none");
    for (int i = 0; names[i]; i++) {
        gt_mpi_file(names[i], file, sizeof file);
        fprintf(to, "%s %s%s", i ? "," : "", names[i], gt_module_is_installed(file) ? "" : " (not installed)");
    }
    fputc('\n', to);
}

static void print_pictures(FILE *to)
{
    const bool png = gt_picture_check("", ".png", NULL, NULL) == GT_OK, graphs = gt_picture_check_graph("", NULL) == GT_OK;
    fprintf(to, "pictures: SVG%s%s\n", png ? ", PNG, PDF" : "", graphs ? ", graphs (Graphviz)" : "");
}

/* The module for GPUs, and how it was tested. */
static void print_cuda(FILE *to)
{
#ifdef GT_CUDA
    const char *installed = gt_module_is_installed("gt-cuda.so") ? "" : " (not installed)";
    fprintf(to, "CUDA module: %s%s; compiled and run against a mock; not run on a GPU\n", GT_CUDA, installed);
#else
    fprintf(to, "CUDA module: none\n");
#endif
}

void gt_version_print(FILE *to, const struct gt_cmd *cmd)
{
    unsigned xxhash = XXH_versionNumber();
    fprintf(to, "%s %s\n", cmd->name, PACKAGE_VERSION);
    fprintf(to, "libraries: htslib %s, blosc %s, zstd %s, lz4 %s, zlib %s,\n", hts_version(), blosc_get_version_string(),
            ZSTD_versionString(), LZ4_versionString(), zlibVersion());
    fprintf(to, "  libdeflate %s, libarchive %s, json-c %s, xxhash %u.%u.%u\n", LIBDEFLATE_VERSION_STRING,
            archive_version_string() + sizeof "libarchive", json_c_version(), xxhash / 10000, xxhash / 100 % 100, xxhash % 100);
    fprintf(to, "instruction sets: %s in use, compiled: %s, this cpu:", gt_kernels()->name, gt_kernels_compiled());
    int n;
    const struct gt_kernels *const *all = gt_kernels_all(&n);
    for (int i = 0; i < n; i++)
        fprintf(to, " %s", all[i]->name);
#ifdef GT_CURL
    const char *schemes = "http https s3 gs";
#else
    const char *schemes = "none";
#endif
    fputc('\n', to);
    print_cuda(to);
    print_mpi(to);
    print_pictures(to);
    fprintf(to, "URL schemes: %s\n", schemes);
}
