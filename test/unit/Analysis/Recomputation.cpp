#include "lib/Analysis/Recomputation.h"
#include "test/unit/Analysis/Graph.h"

using namespace mlir;
using namespace lathe;

static void testOps() {
  analysistest::Graph graph(R"(
func.func @f(%x: tensor<4xf32>, %w: tensor<4x8xbf16>, %h: tensor<4x8xf16>, %t: tensor<8x3xf32>) {
  %0 = lathe.broadcast %x dims [0] to [4, 8] {is = "broadcast"} : tensor<4xf32>
  %1 = lathe.constant dense<1.0> : tensor<4xf32> {is = "splat"}
  %2 = lathe.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> {is = "table"}
  %3 = lathe.neg %1 {is = "number"} : tensor<4xf32>
  %4 = lathe.neg %x {is = "elementwise"} : tensor<4xf32>
  %5 = lathe.convert %w to f32 {is = "bf16"} : tensor<4x8xbf16>
  %6 = lathe.dot_general %5, %t contract [1] x [0] : tensor<4x8xf32>, tensor<8x3xf32>
  %7 = lathe.convert %h to f32 {is = "f16"} : tensor<4x8xf16>
  %8 = lathe.dot_general %7, %t contract [1] x [0] : tensor<4x8xf32>, tensor<8x3xf32>
  return
})");
  auto recomputed = [&](StringRef name) { return isRecomputed(graph.op(name)); };
  using analysistest::expect;
  expect(recomputed("broadcast") && recomputed("splat"), "broadcasts and splats are computed again");
  expect(recomputed("number") && !recomputed("table"), "one number is computed again, a table is loaded");
  expect(!recomputed("elementwise"), "an elementwise op is computed once");
  expect(recomputed("bf16"), "products widen bf16 where they read it");
  expect(!recomputed("f16"), "a product that takes f16 element by element reads it widened");
}

static void testCosts() {
  analysistest::Graph graph(R"(
#here = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#always = affine_set<(d0, d1) : (0 == 0)>
func.func @f(%x: tensor<4x4xf32>) {
  %0 = lathe.nest none [4, 4] (%x) accesses [#lathe.access<#here where #always else 0.0 : f32>] symbols [] {
  ^bb0(%a: f32):
    %1 = arith.constant 2.0 : f32
    %2 = arith.mulf %a, %1 : f32
    lathe.yield %2 : f32
  } {is = "product"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = lathe.nest none [4, 4] (%x) accesses [#lathe.access<#turned where #always else 0.0 : f32>] symbols [] {
  ^bb0(%a: f32):
    %4 = lathe.apply "exp"(%a) : f32
    lathe.yield %4 : f32
  } {is = "function"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
})");
  unsigned product = pointCost(graph.get<NestOp>("product")), function = pointCost(graph.get<NestOp>("function"));
  using analysistest::expect;
  expect(product == 1 && product < kStoreAndLoad, "a product is cheaper to compute again than to store");
  expect(function == 16 + 8 && function >= kStoreAndLoad, "a function of strided elements is dearer");
}

void analysistest::testRecomputation() {
  testOps();
  testCosts();
}
