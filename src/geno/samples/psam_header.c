/* The line of a .psam that names its columns. */
#include "config.h"

#include <string.h>

#include "geno/samples/fam.h"

bool gt_psam_is_header(const char *text)
{
    static const char *const begins[] = {"#FID", "#IID", "FID IID", "FID\tIID"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(text, begins[i], strlen(begins[i])) == 0 && strchr(" \t\r\n", text[strlen(begins[i])]))
            return true;
    return false;
}

static int column_of(const char *name)
{
    static const char *const names[GT_PSAM_OTHER] = {"FID", "IID", "PAT", "MAT", "SEX"};
    int c = 0;
    while (c < GT_PSAM_OTHER && strcmp(name, names[c]) != 0)
        c++;
    return c;
}

void gt_psam_header(char *text, const char *between, int at[GT_PSAM_COLUMNS])
{
    char *save;
    int n = 0;
    for (int c = 0; c < GT_PSAM_COLUMNS; c++)
        at[c] = -1;
    for (char *name = strtok_r(text + (*text == '#'), between, &save); name; name = strtok_r(NULL, between, &save), n++) {
        const int c = column_of(name);
        if (strcmp(name, "SID") != 0 && at[c] < 0)
            at[c] = n;
    }
}
