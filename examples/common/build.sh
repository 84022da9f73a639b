# Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by an example's script `run [BUILD] [OPTION...]`, which has set `here` to its folder. BUILD is Lathe's build folder
# (default: build beside examples). Takes it off the arguments, and sets `build` to it and `out` to the folder for what is made,
# BUILD/examples/NAME.
set -eu
top=$here/../..
build=$top/build
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
  build=$1
  shift
fi
build=$(cd "$build" && pwd)
out=$build/examples/${here##*/}
mkdir -p "$out/data"

# graph NAME [OPTION...]: NAME.mlir becomes NAME.o and NAME.h.
graph() {
  name=$1
  shift
  "$build/bin/lathec" "$here/$name.mlir" "$@" -o "$out/$name.o"
}

# program NAME GRAPH...: NAME.c with the objects of these graphs becomes NAME.
program() {
  name=$1
  shift
  for graph in "$@"; do # each becomes its object
    shift
    set -- "$@" "$out/$graph.o"
  done
  ${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -O2 -Wall -Wextra -I"$out" -I"$here/../common" -I"$top/include" "$here/$name.c" \
    "$@" "$build/lib/liblathe_runtime.a" -lpthread -lm -o "$out/$name"
}
