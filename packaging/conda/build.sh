#!/bin/bash
# conda-build runs this in the sources, with PREFIX, SRC_DIR, CPU_COUNT and the compiler's variables set.
set -eu

export CPPFLAGS="${CPPFLAGS:-} -I$PREFIX/include -I$SRC_DIR/random123/include"
export LDFLAGS="${LDFLAGS:-} -L$PREFIX/lib"

# Modules for MPI and pictures would bring an MPI and Graphviz into each environment.
./configure --prefix="$PREFIX" --without-cuda --without-mpi --without-pictures
make -j"${CPU_COUNT:-1}"
make install-strip
