#include "lib/Analysis/Liveness.h"
#include "test/unit/Analysis/Graph.h"

using namespace mlir;
using namespace lathe;

void analysistest::testLiveness() {
  Graph graph(R"(
func.func @f(%x: tensor<4xf32>, %xs: tensor<8x4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %a = lathe.neg %x {is = "a"} : tensor<4xf32>
  %view = lathe.reshape %a to [2, 2] {is = "view"} : tensor<4xf32>
  %b = lathe.neg %x {is = "b"} : tensor<4xf32>
  %h = lathe.scan carry(%c = %b : tensor<4xf32>) over(%s = %xs : tensor<8x4xf32>) -> tensor<4xf32> attributes {is = "scan"} {
    %next = lathe.add %c, %a {is = "next"} : tensor<4xf32>
    lathe.yield carry(%next : tensor<4xf32>)
  }
  %d = lathe.neg %view {is = "d"} : tensor<2x2xf32>
  return %h, %d : tensor<4xf32>, tensor<2x2xf32>
})");
  Positions positions;
  positions.number(graph.block());
  Operation *a = graph.op("a"), *b = graph.op("b"), *scan = graph.op("scan"), *next = graph.op("next"), *d = graph.op("d");
  expect(positions.end(a) < positions.begin(b) && positions.begin(a) == positions.end(a), "ops run in order");
  expect(positions.begin(scan) < positions.begin(next) && positions.end(next) < positions.end(scan),
         "a loop lasts from before its first op to after its last");
  expect(positions.lastUse(b->getResult(0)) == positions.end(scan), "a carry's first value lives as long as the loop");
  expect(positions.lastUse(a->getResult(0)) == positions.end(d), "a view is the same memory");

  uint64_t before = positions.begin(d), after = positions.end(scan);
  Operation *copies[] = {b->clone(), b->clone()};
  for (Operation *copy : copies)
    positions.insert(copy, d);
  expect(after < positions.begin(copies[0]) && positions.begin(copies[0]) < positions.begin(copies[1]) &&
             positions.begin(copies[1]) < before && positions.begin(d) == before,
         "what comes in stands in order between its neighbours, which keep their positions");
  for (Operation *copy : copies)
    copy->destroy();
}
