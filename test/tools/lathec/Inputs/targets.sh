# Each target is refused as wrong usage, and nothing is written.
for target; do
  lathec good.mlir --threads=off --target=$target -o no.o
  test $? = 2 && test ! -e no.o || exit 1
done
