#!/bin/sh
# objects.sh EXAMPLES OPTION...: compiles all graphs of the examples into the current folder, and lists the objects' tables in
# modules.h for test/object/Inputs/realtime.c. Leaves out the graph that calls a model, which must be fetched first.
set -eu
examples=$1
shift
for graph in "$examples"/*/*.mlir; do
  name=$(basename "$graph" .mlir)
  [ "$name" != finetune ] || continue
  lathec "$graph" "$@" -o "$name.o"
  echo "M(${name}_info)"
done >modules.h
