# shellcheck shell=bash
# A Slurm of one's own on this machine, with its own munge: two nodes, n1 and n2, of two CPUs each.  Its files are in $SLURM_HOME.

# Why it cannot be started; nothing if it can.
slurm_lacks() {
    local program
    for program in munged munge slurmctld slurmd srun sbatch; do
        command -v $program >/dev/null || { echo "no $program"; return; }
    done
    [ "$(id -u)" -eq 0 ] || echo "slurmd needs root"
}

# A TCP port of 127.0.0.1 that nobody listens on.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

slurm_config() {
    local host
    host=$(hostname -s)
    cat <<END
ClusterName=gt
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$SLURM_HOME/munge/socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation=$SLURM_HOME/state
SlurmdSpoolDir=$SLURM_HOME/spool.%n
SlurmctldPidFile=$SLURM_HOME/slurmctld.pid
SlurmdPidFile=$SLURM_HOME/slurmd.%n.pid
SlurmctldLogFile=$SLURM_HOME/slurmctld.log
SlurmdLogFile=$SLURM_HOME/slurmd.%n.log
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=4 RealMemory=2000 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=4 RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
}

munge_start() {
    local dir=$SLURM_HOME/munge
    mkdir -m 711 "$dir"
    head -c 128 /dev/urandom >"$dir/key"
    chmod 400 "$dir/key"
    munged --force --key-file="$dir/key" --socket="$dir/socket" --pid-file="$dir/pid" --seed-file="$dir/seed" --log-file="$dir/log"
}

# slurm_start DIR: exports SLURM_CONF.  Fails when the nodes are not idle after some seconds.
slurm_start() {
    export SLURM_HOME=$1
    export SLURM_CONF=$SLURM_HOME/slurm.conf
    mkdir -p "$SLURM_HOME/state" "$SLURM_HOME/spool.n1" "$SLURM_HOME/spool.n2"
    munge_start || return
    slurm_config >"$SLURM_CONF"
    slurmctld >"$SLURM_HOME/start.log" 2>&1 || return
    for node in n1 n2; do slurmd -N $node >>"$SLURM_HOME/start.log" 2>&1 || return; done
    for _ in $(seq 150); do
        [ "$(sinfo -h -N -o %T 2>/dev/null | grep -c '^idle')" -ne 2 ] || return 0
        sleep 0.2
    done
    return 1
}

slurm_stop() {
    local file pids=() pid
    for file in "$SLURM_HOME"/slurmd.n?.pid "$SLURM_HOME/slurmctld.pid" "$SLURM_HOME/munge/pid"; do
        [ ! -s "$file" ] || pids+=("$(cat "$file")")
    done
    [ ${#pids[@]} -gt 0 ] || return 0
    scancel -u root 2>/dev/null
    kill "${pids[@]}" 2>/dev/null
    for _ in $(seq 50); do
        for pid in "${pids[@]}"; do
            ! kill -0 "$pid" 2>/dev/null || { sleep 0.1; continue 2; }
        done
        return 0
    done
    kill -KILL "${pids[@]}" 2>/dev/null
}
