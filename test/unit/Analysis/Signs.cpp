#include "lib/Analysis/Signs.h"
#include "test/unit/Analysis/Graph.h"

using namespace mlir;
using namespace lathe;

void analysistest::testSigns() {
  Graph graph(R"(
func.func @f(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) {
  %m = lathe.reduce max %x dims [1] : tensor<4x4xf32>
  %least = lathe.reduce min %x dims [1] : tensor<4x4xf32>
  %rows = lathe.broadcast %m dims [0] to [4, 4] : tensor<4xf32>
  %columns = lathe.broadcast %m dims [1] to [4, 4] : tensor<4xf32>
  %low = lathe.broadcast %least dims [0] to [4, 4] : tensor<4xf32>
  %0 = lathe.sub %x, %rows {is = "softmax"} : tensor<4x4xf32>
  %1 = lathe.sub %y, %rows {is = "another's maximum"} : tensor<4x4xf32>
  %2 = lathe.sub %x, %columns {is = "another row's maximum"} : tensor<4x4xf32>
  %3 = lathe.sub %x, %low {is = "minimum"} : tensor<4x4xf32>
  %4 = lathe.sub %rows, %x {is = "turned"} : tensor<4x4xf32>

  %never = lathe.constant dense<0xFF800000> : tensor<4xf32>
  %infinity = lathe.constant dense<0x7F800000> : tensor<4xf32>
  %zero = lathe.constant dense<0.0> : tensor<4xf32>
  %blind = lathe.compare eq %m, %never : tensor<4xf32>
  %full = lathe.compare eq %m, %infinity : tensor<4xf32>
  %masked = lathe.select %blind, %zero, %m : tensor<4xi1>, tensor<4xf32>
  %other = lathe.select %full, %zero, %m : tensor<4xi1>, tensor<4xf32>
  %maskedRows = lathe.broadcast %masked dims [0] to [4, 4] : tensor<4xf32>
  %otherRows = lathe.broadcast %other dims [0] to [4, 4] : tensor<4xf32>
  %atLeast = lathe.max %least, %m : tensor<4xf32>
  %atMost = lathe.min %least, %m : tensor<4xf32>
  %above = lathe.broadcast %atLeast dims [0] to [4, 4] : tensor<4xf32>
  %below = lathe.broadcast %atMost dims [0] to [4, 4] : tensor<4xf32>
  %7 = lathe.sub %x, %above {is = "a larger number"} : tensor<4x4xf32>
  %8 = lathe.sub %x, %below {is = "a smaller number"} : tensor<4x4xf32>

  %5 = lathe.sub %x, %maskedRows {is = "masked"} : tensor<4x4xf32>
  %6 = lathe.sub %x, %otherRows {is = "replaced at inf"} : tensor<4x4xf32>
  return
})");
  auto isIt = [&](StringRef name) { return isNonpositive(graph.op(name)->getResult(0)); };
  expect(isIt("softmax"), "x - max(x) is at most 0");
  expect(isIt("masked"), "the maximum may be replaced where it is -inf");
  expect(isIt("a larger number") && !isIt("a smaller number"), "the maximum of that and another number will do, too");
  expect(!isIt("replaced at inf"), "where the maximum is inf, a difference from another number may be inf");
  expect(!isIt("another's maximum"), "the maximum is that of the same tensor");
  expect(!isIt("another row's maximum"), "the maximum is that of the same row");
  expect(!isIt("minimum") && !isIt("turned"), "only x - max(x) counts");
  expect(!isNonpositive(graph.block().getArgument(0)), "an argument may be anything");
}
