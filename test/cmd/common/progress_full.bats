#!/usr/bin/env bats
# --progress full: lines redrawn in place in a terminal, which tmux plays.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset GT_CPU GT_THREADS GT_MEMORY OMP_NUM_THREADS
    sample=$GT_BUILD/test/cmd/common/sample
}

teardown() { ! command -v tmux > /dev/null || tmux -S "$BATS_TEST_TMPDIR/s" kill-server 2> /dev/null || true; }

mux() { tmux -S "$BATS_TEST_TMPDIR/s" "$@"; }
screen() { mux capture-pane -p; }
# shows REGEX: waits until a line of the screen matches, 20 s at most.
shows() {
    for _ in $(seq 200); do
        screen | grep -Eq -- "$1" && return
        sleep 0.1
    done
    screen
    return 1
}
# A shell in a terminal of $1 x $2, with 'first' on its screen.
terminal() {
    command -v tmux > /dev/null || skip "no tmux"
    mux -f /dev/null new-session -d -x "$1" -y "$2" "env PS1='% ' TERM=screen bash --norc" || skip "tmux does not run here"
    shows '^%'
    mux send-keys "echo first" Enter
    shows '^first'
}
start() { mux send-keys "$sample --do slow -c 100000 -@ 2 -f -o out x --progress full" Enter; }

@test "--progress full: steps with bars, threads, memory; resized; a clean screen after an interrupt" {
    terminal 100 30
    start
    shows '^0:[0-9]{2}  [0-9]+ %  ETA [0-9:]+  2 of 2 threads busy$'
    shows '^  sample +\[[#.]{20}\] +[0-9]+ %  [0-9.]+ MiB/s  2 in flight, 2 busy$'
    shows '^  memory of buffers +\[\.{20}\]   0 %  0 B of [0-9.]+ [MG]iB$'
    for size in 64 140 81; do # each line once, in its place, whatever the width was before
        mux resize-window -x $size -y 28
        sleep 0.6
        shows '^  sample'
        screen > now
        [ "$(grep -c '^  sample' now)" -eq 1 ]
        [ "$(grep -c '^  memory' now)" -eq 1 ]
        [ "$(grep -c threads now)" -eq 1 ]
        [ "$(mux capture-pane -p -S - | grep -c '^first')" -eq 1 ] # tmux may move it out of the screen
    done
    mux resize-window -x 50 -y 28 # small: one line
    shows '^sample +[0-9]+ %.* ETA'
    run ! grep -q memory <(screen)
    mux resize-window -x 100 -y 28
    shows '^  memory'
    mux send-keys C-c
    for _ in $(seq 100); do
        screen > now
        [[ $(grep . now | tail -1) != %* ]] || break
        sleep 0.1
    done
    run ! grep -E 'threads busy|memory of|\[[#.]|ETA' now
    [ ! -e out ]
}

@test "--progress full: a dumb terminal and a file get plain lines" {
    terminal 100 30
    mux send-keys "TERM=dumb $sample --do slow -c 100 -@ 1 -f -o out x --progress full; echo ended" Enter
    shows '^ended'
    screen > now
    grep -Eq '^sample +[0-9]+ %' now
    run ! grep -q 'threads busy' now
    "$sample" --do slow -c 75 -@ 1 -f -o out x --progress=full 2> said
    grep -Eq '^sample +[0-9]+ %' said
    run ! grep -q $'\e' said
}

@test "--progress: its values, with a blank or an equals sign; another word is an operand" {
    run "$sample" --progress=line x
    [[ "$output" == *" progress=1 "* ]]
    run "$sample" --progress=full x
    [[ "$output" == *" progress=2 "* ]]
    run "$sample" --progress full x
    [[ "$output" == *" progress=2 "* && "$output" == *"operand=x"* && "$output" != *"operand=full"* ]]
    run "$sample" --progress x
    [[ "$output" == *" progress=1 "* && "$output" == *"operand=x"* ]]
    run "$sample" --progress=most x
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "sample: option '--progress': unknown value 'most'" && "${lines[1]}" == "hint: choose line or full"* ]]
}
