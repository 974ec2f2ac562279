#!/usr/bin/env bats
# gt-rechunk --pick: indices on the command line, and lists from pipes, against numpy.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

@test "--pick takes indices, pipes and standard input" {
    "$PYTHON" -c 'import numpy' 2> /dev/null || skip "no python3-numpy"
    gt-sim -q --samples 20 --variants 30 --uniform 0..99 --seed 1 -o x.zarr
    gt-rechunk -q x.zarr -o x.npy
    want() { # INDEX
        "$PYTHON" -c "import numpy as np; x, y = np.load('x.npy'), np.load('y.npy'); assert np.array_equal(x[$1], y), (x.shape, y.shape)"
    }
    pick() { gt-rechunk -q -f --pick "$1" x.zarr -o y.npy; }
    pick 1:10,1,5
    want ':, [10, 1, 5]'
    pick 0:-1,3,3
    want '[-1, 3, 3]'
    pick 0:7
    want '[7]'
    pick 0:3,3,3
    want '[3, 3, 3]' # one index several times
    pick 1:0,0,0:-1,-1
    want '[-1, -1]][:, [0, 0]'
    pick 1:2,0,0:9,8
    want '[9, 8]][:, [2, 0]'
    pick 1:<(seq 3 6)
    want ':, [3, 4, 5, 6]'
    seq 3 6 | pick 1:/dev/stdin
    want ':, [3, 4, 5, 6]'
    seq 3 6 | pick 1:-
    want ':, [3, 4, 5, 6]'
    pick 1:/dev/null # a device
    want ':, []'
    echo 4 > 2
    pick 1:./2
    want ':, [4]'
    pick 1:2,0:./2
    want '[4]][:, [2]'
    for bad in 1:30,99 0:-31; do
        run --separate-stderr gt-rechunk --pick $bad x.zarr -o z.npy
        [ "$status" -eq 2 ]
        # shellcheck disable=SC2154
        [[ "${stderr_lines[0]}" == *"is outside the"* ]] || { echo "$stderr"; return 1; }
    done
    run --separate-stderr gt-rechunk --pick 1:99999999999999999999 x.zarr -o z.npy
    [ "$status" -eq 2 ]
    run --separate-stderr gt-rechunk --pick 7,8 x.zarr -o z.npy
    [[ "${stderr_lines[0]}" == *"--pick: '7' is neither AXIS:FILE nor AXIS:INDEX,INDEX" ]]
    for n in 19 21; do # of 20 items
        yes true | head -n $n > mask.txt
        run --separate-stderr gt-rechunk --pick 1:mask.txt x.zarr -o z.npy
        [ "$status" -eq 2 ]
        [[ "${stderr_lines[0]}" == *"'mask.txt' has $n booleans, and the 1 axis has 20 items" ]] || { echo "$stderr"; return 1; }
    done
    yes true | head -n 20 > mask.txt
    pick 1:mask.txt
    want ':, :'
}
