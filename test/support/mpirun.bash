# For suites of several ranks.

# The MPI modules of this build whose mpirun is there.
modules() {
    local name
    for name in $(gt-pi --version | sed -n 's/^MPI modules: //p' | tr -d ','); do
        ! command -v "mpirun.$name" >/dev/null || echo "$name"
    done
}

# What can be tried: these, and ranks without MPI (--mpi node) by one of their launchers, by each in --long.
mpis() {
    local all
    mapfile -t all < <(modules)
    [ "${#all[@]}" -ne 0 ] || return 0
    printf '%s\n' "${all[@]}"
    if [ "${GT_TEST_LEVEL:-quick}" = long ]; then printf 'node-%s\n' "${all[@]}"; else echo "node-${all[${BATS_TEST_NUMBER:-0} % ${#all[@]}]}"; fi
}

need_mpi() { [ -n "$(mpis)" ] || skip "no MPI module, or no mpirun of its MPI"; }

# mpirun_of MPI ARG...: without Open MPI's own lines about a job that failed.  Each job has a folder of its own for Open MPI's session: it
# removes the common one when it finds it empty, also while another job makes its own in there.
mpirun_of() {
    local mpi=${1#node-} status=0 session
    session=$(mktemp -d /tmp/gt-mpi-XXXXXX)
    local -x OMPI_MCA_orte_tmpdir_base=$session
    local -x GT_MPI=$1
    [ "$mpi" = "$1" ] || GT_MPI=auto # which is node where mpirun starts all ranks
    local -x OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
    shift
    [ "$mpi" != openmpi ] || set -- --quiet --bind-to none "$@"
    timeout -k 5 120 "mpirun.$mpi" "$@" </dev/null || status=$?
    rm -rf "$session"
    return $status
}

# The numbers of ranks to try: all of them in --all.
ranks_to_try() { if [ "${GT_TEST_LEVEL:-quick}" = quick ]; then echo 3; else echo 1 2 3 4 7; fi; }

# Sets `tried` to the launchers to try this time: one after the other, all of them in --all.
mpis_in_turn() {
    mapfile -t tried < <(mpis)
    [ "${GT_TEST_LEVEL:-quick}" != quick ] || tried=("${tried[mpi_turn++ % ${#tried[@]}]}")
}
mpi_turn=${BATS_TEST_NUMBER:-0}

# same_with_ranks COMMAND ARG...: writes the same files, in a new folder, with several ranks and threads as one process does.  Each run
# takes the next MPI, in --long every one.
same_with_ranks() {
    local mpi n threads all first=$((mpi_turn++)) run=0
    mapfile -t all < <(mpis)
    rm -rf alone several
    mkdir alone
    (cd alone && "$@" 2>../alone.err) || { cat alone.err; return 1; }
    for n in $(ranks_to_try); do
        for threads in $(few 1 2 1); do
            local tried=("${all[@]}")
            [ "${GT_TEST_LEVEL:-quick}" = long ] || tried=("${all[(first + run++) % ${#all[@]}]}")
            for mpi in "${tried[@]}"; do
                mkdir several
                (cd several && GT_THREADS=$threads mpirun_of "$mpi" -n "$n" "$@" >../several.out 2>../several.err) || { cat several.err; return 1; }
                diff -r alone several || { echo "$mpi, $n ranks, $threads threads: $*"; return 1; }
                rm -r several
            done
        done
    done
}
