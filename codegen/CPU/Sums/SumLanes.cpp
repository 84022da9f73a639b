#include "codegen/CPU/Sums/SumLanes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

unsigned lathe::cpu::vectorsAlong(const Dim &length, int64_t lanes) {
  unsigned vectors = kSumVectors;
  while (length.isStatic() && vectors > 1 && lanes * vectors / 2 >= length.constant())
    vectors /= 2;
  return vectors;
}

LogicalResult lathe::cpu::checkSumLanes(KernelOp kernel, unsigned lanes, unsigned sumBytes, const Dim &length,
                                        const VectorTarget &target) {
  unsigned expected = kSumVectors * target.lanes(sumBytes);
  if (lanes == expected || (lanes < expected && length.isStatic() && length.constant() <= lanes))
    return success();
  return kernel.emitError("a schedule that adds up rows of ")
         << length.str() << " elements in " << lanes << " lanes; expected " << expected << " for sums of " << 8 * sumBytes
         << " bits on '" << target.name() << "': the order of a sum depends only on types and positions";
}
