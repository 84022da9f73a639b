#include "lib/Analysis/ReductionLevels.h"
#include "test/unit/Analysis/Graph.h"

using namespace mlir;
using namespace lathe;

/// The variance of rows, (x - mean)^2 summed: one reduction behind the other.
void analysistest::testReductionLevels() {
  Graph graph(R"(
#here = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#always = affine_set<(d0, d1) : (0 == 0)>
func.func @f(%x: tensor<4x8xf32>) {
  %0 = lathe.kernel(%a = %x : tensor<4x8xf32>) -> tensor<4xf32> attributes {is = "ops"} {
    %1 = lathe.reduce sum %a dims [1] {is = "sum"} : tensor<4x8xf32>
    %2 = lathe.broadcast %1 dims [0] to [4, 8] : tensor<4xf32>
    %3 = lathe.sub %a, %2 {is = "centred"} : tensor<4x8xf32>
    %4 = lathe.neg %a {is = "apart"} : tensor<4x8xf32>
    %5 = lathe.reduce sum %3 dims [1] {is = "variance"} : tensor<4x8xf32>
    lathe.yield %5 : tensor<4xf32>
  }
  %1 = lathe.kernel(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> attributes {is = "nests"} {
    %2 = lathe.nest sum [4, 8] (%a) accesses [#lathe.access<#here where #always else 0.0 : f32>] symbols [] {
    ^bb0(%b: f32):
      lathe.yield %b : f32
    } {is = "nest sum"} : (tensor<4x8xf32>) -> tensor<4xf32>
    %3 = lathe.nest none [4, 8] (%a, %2) accesses [#lathe.access<#here where #always else 0.0 : f32>, #lathe.access<#row where #always else 0.0 : f32>] symbols [] {
    ^bb0(%b: f32, %c: f32):
      %4 = arith.subf %b, %c : f32
      lathe.yield %4 : f32
    } {is = "nest centred"} : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
    lathe.yield %3 : tensor<4x8xf32>
  }
  return
})");
  DenseMap<Value, unsigned> levels = reductionLevels(graph.get<KernelOp>("ops"));
  auto level = [&](StringRef name) { return levels.lookup(graph.op(name)->getResult(0)); };
  expect(level("sum") == 1, "a reduction of an input has level 1");
  expect(level("centred") == 1, "what a reduction's readers make has its level");
  expect(level("apart") == 0, "what no reduction is needed for has level 0");
  expect(level("variance") == 2, "a reduction of what needs one has level 2");
  levels = reductionLevels(graph.get<KernelOp>("nests"));
  expect(level("nest sum") == 1 && level("nest centred") == 1, "nests have the levels of ops");
  expect(tensorsReadBy(graph.get<NestOp>("nest centred")).size() == 2, "a nest reads its inputs");
}
