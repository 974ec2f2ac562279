#!/usr/bin/env bash
# Measured and predicted times of 1 to 4 ranks, each on a node of its own: a network namespace with half a CPU, joined by links of 1 and
# 10 Gbit/s.  Needs root, ip, tc and cgroups (version 1) with CPU quotas.
#
# Half a CPU: four nodes then have two CPUs, as this machine, so they do not take time from each other.
#
# What the model gets: rates of a run of one rank, from all variants and an eighth of them (compute, finish), and with two samples only
# (decode); of a program of MPI that computes nothing (start); of a sum of 64 MiB, and of messages that wait for each other, with two ranks (link, latency).  What it predicts: all
# runs with several ranks.
#   ranks.sh [SAMPLES [VARIANTS [RUNS]]]       needs GT_BIN; default 2504 300000 3, at most 20 minutes
#   MPI=openmpi|mpich                          default openmpi
set -euo pipefail
# shellcheck source=scripts/lib-bench.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib-bench.sh"
samples=${1:-2504} variants=${2:-300000} runs=${3:-3} mpi=${MPI:-openmpi}
nodes=4 quota=0.5 period=5000
cpu=/sys/fs/cgroup/cpu
cd "$work"

# lacks: what cannot be had here.
lacks() {
    [ "$(id -u)" -eq 0 ] || echo "it needs root"
    [ -e $cpu/cpu.cfs_quota_us ] || echo "there is no $cpu/cpu.cfs_quota_us"
    command -v "mpirun.$mpi" > /dev/null || echo "there is no mpirun.$mpi"
    command -v tc > /dev/null && command -v ip > /dev/null || echo "there are no ip and tc"
    unshare --net --mount --uts true 2> /dev/null || echo "namespaces cannot be made"
}
if [ -n "$(lacks)" ]; then
    echo "Not run: $(lacks | head -n 1)."
    exit
fi
make -C "$GT_BIN" test/core/mpi/bench_comm > /dev/null

# --- nodes ----------------------------------------------------------------------------------

# A node is named gtN, and has the address 10.77.0.N; gtx joins them.
remove_nodes() {
    local i
    for ((i = 1; i <= nodes; i++)); do
        ip netns delete gt$i 2> /dev/null || true
        if [ -d $cpu/gt$i ]; then # with what a run that was interrupted has left
            xargs -r kill -9 < $cpu/gt$i/cgroup.procs 2> /dev/null || true
            until rmdir $cpu/gt$i 2> /dev/null; do sleep 0.1; done
        fi
        rm -rf /etc/netns/gt$i
    done
    ip netns delete gtx 2> /dev/null || true
}

make_nodes() {
    local i k
    ip netns add gtx
    ip -n gtx link add bridge type bridge
    ip -n gtx link set bridge up
    for ((i = 1; i <= nodes; i++)); do
        ip netns add gt$i
        ip -n gt$i link set lo up
        ip -n gt$i link add net type veth peer name to$i netns gtx
        ip -n gt$i address add 10.77.0.$i/24 dev net
        ip -n gt$i link set net up
        ip -n gtx link set to$i master bridge up
        mkdir -p /etc/netns/gt$i $cpu/gt$i
        echo 127.0.0.1 localhost > /etc/netns/gt$i/hosts
        for ((k = 1; k <= nodes; k++)); do echo 10.77.0.$k gt$k; done >> /etc/netns/gt$i/hosts
        echo $period > $cpu/gt$i/cpu.cfs_period_us
        echo 100000 > $cpu/gt$i/cpu.shares # before other work of the machine
        awk -v q=$quota -v p=$period 'BEGIN { print int(q * p) }' > $cpu/gt$i/cpu.cfs_quota_us
    done
}

# set_links GBIT: of both directions.
set_links() {
    local i burst=$((256 + 512 * $1))
    for ((i = 1; i <= nodes; i++)); do
        tc -n gt$i qdisc replace dev net root tbf rate "$1gbit" burst ${burst}kb latency 50ms
        tc -n gtx qdisc replace dev to$i root tbf rate "$1gbit" burst ${burst}kb latency 50ms
    done
}

trap 'remove_nodes; umount "$work/cpu" 2> /dev/null || true; rm -rf --one-file-system "$work"' EXIT
remove_nodes
mkdir cpu
mount --bind $cpu cpu # "ip netns exec" has a /sys of its own
make_nodes

# on NODE COMMAND...: what launchers take for ssh, whose options are dropped.  Each node has its own CPU, or half of one: time that
# a thread is given on another CPU and does not use is lost to the quota.
cat > on << SH
#!/bin/bash
while [[ \$1 == -* ]]; do shift; done
node=\$1
shift
echo \$\$ > "$work/cpu/\$node/cgroup.procs"
exec taskset -c \$((\${node#gt} % $(nproc))) ip netns exec "\$node" unshare --uts bash -c "hostname \$node; \$*"
SH

# on_ranks N COMMAND...
cat > on_ranks << SH
#!/bin/bash
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 UCX_TLS=tcp,self
n=\$1
shift
hosts=\$(seq -s , -f gt%g "\$n")
if [ $mpi = openmpi ]; then
    set -- --quiet --bind-to none --mca plm_rsh_agent "$work/on" --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 \
        --mca oob_tcp_if_include 10.77.0.0/24 --host "\$hosts" "\$@"
else
    set -- -launcher ssh -launcher-exec "$work/on" -hosts "\$hosts" "\$@"
fi
exec "$work/on" gt1 mpirun.$mpi -n "\$n" "\$@"
SH
chmod +x on on_ranks

# --- times ----------------------------------------------------------------------------------

# seconds COMMAND...: the median of the runs.
seconds() {
    rm -f row.s
    for ((i = 0; i < runs; i++)); do
        rm -rf out out.*
        timed row "$@"
    done
    median row.s
}

for part in eighth full; do
    n=$variants
    [ $part = full ] || n=$((variants / 8))
    "$GT_BIN/gt-sim" -q --samples "$samples" --variants "$n" --pops 5 --missing 0.01 --seed 1 -o $part.zarr
done

# amount TERM PLAN: operations of a plan's term.
amount() { sed -n "s/^  $1 .* s: \([0-9.e+]*\) .*/\1/p" "$2"; }

# rates COMMAND...: GT_RATES of one rank, whose CPU is the half of one.
rates() {
    local eighth full
    eighth=$(seconds ./on gt1 "$@" -@ 1 eighth.zarr -o out)
    full=$(seconds ./on gt1 "$@" -@ 1 full.zarr -o out)
    echo "$full" > one
    "$@" -n -@ 1 --ranks 1 eighth.zarr > eighth.plan
    "$@" -n -@ 1 --ranks 1 full.zarr > full.plan
    awk -v eighth="$eighth" -v full="$full" -v decode="$(cat decode)" -v a="$(amount compute eighth.plan)" -v b="$(amount compute full.plan)" \
        -v da="$(amount decode eighth.plan)" -v db="$(amount decode full.plan)" -v last="$(amount finish full.plan)" \
        -v writes="$(amount write full.plan)" 'BEGIN {
        each = full - eighth - (db - da) / decode
        rate = (b - a) / (each > 0.001 ? each : 0.001)
        rest = full - b / rate - db / decode - writes / 1e9
        printf "decode=%.4g,compute=%.4g,finish=%.4g,write=1e9", decode, rate, last / (rest > 0.001 ? rest : 0.001)
    }'
}

# compare NAME COMMAND...: a line for each link and number of ranks.
compare() {
    local name=$1 own gbit n measured predicted
    shift
    own=$(rates "$@")
    say "$name: $own"
    for ((n = 1; n <= nodes; n++)); do
        for gbit in 1 10; do
            [ $n -gt 1 ] || [ $gbit = 1 ] || continue
            set_links $gbit
            if [ $n = 1 ]; then
                measured=$(cat one)
            else
                measured=$(seconds ./on_ranks $n "$@" -@ 1 full.zarr -o out)
            fi
            GT_RATES=$own,$(cat network.$gbit),start=$(cat start.$n) "$@" -n -@ 1 --ranks $n full.zarr > plan
            predicted=$(sed -n 's/^estimate *\(at most \)*\([0-9.e+-]*\) s .*/\2/p' plan)
            printf '| %s | %s | %d | %.2f | %.2f | %.2f |\n' "$name" "$([ $n = 1 ] && echo - || echo $gbit)" $n "$measured" "$predicted" \
                "$(awk "BEGIN { print $measured / $predicted }")"
        done
    done
}

# --- the network, and starting ----------------------------------------------------------------

for gbit in 1 10; do
    set_links $gbit
    ./on_ranks 2 env "GT_MODULES=$GT_BIN" "$GT_BIN/test/core/mpi/bench_comm" > network.$gbit
    say "$gbit Gbit/s: $(cat network.$gbit)"
done
echo 1e-9 > start.1
for ((n = 2; n <= nodes; n++)); do
    seconds ./on_ranks $n gt-pi -q --points 1000 > start.$n
    say "start and end of $n ranks: $(cat start.$n) s"
done

# two samples: all is read and decoded, hardly anything computed
few=(gt-pdist -q -f -m king -O counts -s "S1,S2")
eighth=$(seconds ./on gt1 "${few[@]}" -@ 1 eighth.zarr -o out)
full=$(seconds ./on gt1 "${few[@]}" -@ 1 full.zarr -o out)
awk -v s="$samples" -v v="$variants" -v eighth="$eighth" -v full="$full" \
    'BEGIN { each = full - eighth; print int((s + 3) / 4) * (v - int(v / 8)) / (each > 0.001 ? each : 0.001) }' > decode
say "decoding: $(cat decode) bytes/s"

printf '| %s, %s x %s | Gbit/s | ranks | measured, s | predicted, s | ratio |\n|---|---|---|---|---|---|\n' "$mpi" "$samples" "$variants"
compare "gt-pdist -m king, by variants" gt-pdist -q -f -m king -O npy
compare "gt-pdist -m king -O counts, each rank reads all" gt-pdist -q -f -m king -O counts
compare "gt-svd --algorithm krylov, 20 passes" gt-svd -q -f -k 10 --algorithm krylov --passes 20 --tol 1e-15
