#include "dialects/Lathe/IR/SamePadding.h"
#include "dialects/Lathe/IR/DerivedDims.h"

using namespace lathe;

SamePadding lathe::samePadding(const Dim &extent, int64_t stride, const Dim &reach, OddPadding odd) {
  const Dim others = (ceilDiv(extent, stride) - Dim(1)) * Dim(stride); // from the first window's start to the last one's
  const Dim total = maxOf(others + reach - extent, Dim(0));
  const Dim low = odd == OddPadding::Behind ? floorDiv(total, 2) : ceilDiv(total, 2);
  if (total.isStatic())
    return {low, total - low};
  return {low, others + maxOf(reach, Dim(stride)) - extent - low};
}
