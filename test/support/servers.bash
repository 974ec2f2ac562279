# shellcheck shell=bash
# Servers that suites start, on this machine.  Their process numbers are in the file pids.

# wait_for COMMAND...: until it succeeds, 30 s at most.
wait_for() {
    for _ in {1..300}; do
        ! "$@" > /dev/null 2>&1 || return 0
        sleep 0.1
    done
    return 1
}

free_port() { "$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

answers() { "$PYTHON" -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' "$1"; }

# proxy PORT NAME [EVERY [MS]]: of a port, its own is in the file NAME.
proxy() {
    timeout 900 "$PYTHON" "$GT_SOURCE/test/support/fault_proxy.py" "$1" "$2" "$2.log" "${@:3}" > /dev/null 2>&1 3>&- &
    echo $! >> pids
    wait_for test -f "$2"
}
