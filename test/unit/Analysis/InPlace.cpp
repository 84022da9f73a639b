#include "lib/Analysis/InPlace.h"
#include "test/unit/Analysis/Graph.h"

using namespace mlir;
using namespace lathe;

static void testKernels() {
  analysistest::Graph graph(R"(
func.func @f(%x: tensor<4x8xf32>, %r: tensor<4xf32>, %i: tensor<2xi32>, %u: tensor<2x8xf32>) {
  %0 = lathe.kernel(%a = %x : tensor<4x8xf32>, %b = %r : tensor<4xf32>) -> tensor<4x8xf32> attributes {is = "pointwise"} {
    %1 = lathe.broadcast %b dims [0] to [4, 8] : tensor<4xf32>
    %2 = lathe.mul %a, %1 : tensor<4x8xf32>
    lathe.yield %2 : tensor<4x8xf32>
  }
  %1 = lathe.kernel(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> attributes {is = "reversed"} {
    %2 = lathe.reverse %a dims [1] : tensor<4x8xf32>
    lathe.yield %2 : tensor<4x8xf32>
  }
  %2 = lathe.kernel(%a = %x : tensor<4x8xf32>, %b = %i : tensor<2xi32>, %c = %u : tensor<2x8xf32>) -> tensor<4x8xf32> attributes {is = "scatter"} {
    %3 = lathe.scatter add %a, %b, %c axis 0 : tensor<4x8xf32>, tensor<2xi32>, tensor<2x8xf32>
    lathe.yield %3 : tensor<4x8xf32>
  }
  %3, %4 = lathe.kernel(%a = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) attributes {is = "softmax", lathe.rows} {
    %5 = lathe.exp %a : tensor<4x8xf32>
    %6 = lathe.reduce sum %5 dims [1] : tensor<4x8xf32>
    %7 = lathe.broadcast %6 dims [0] to [4, 8] : tensor<4xf32>
    %8 = lathe.div %5, %7 : tensor<4x8xf32>
    lathe.yield %5, %8 : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return
})");
  using analysistest::expect;
  expect(readsInPlace(graph.get<KernelOp>("pointwise"), 0, 0), "elementwise ops may write where they read");
  expect(!readsInPlace(graph.get<KernelOp>("pointwise"), 1, 0), "a broadcast reads an element for several results");
  expect(!readsInPlace(graph.get<KernelOp>("reversed"), 0, 0), "a reversal reads what it has overwritten");
  expect(readsInPlace(graph.get<KernelOp>("scatter"), 0, 0), "a scatter replaces parts of its first operand");
  expect(!readsInPlace(graph.get<KernelOp>("scatter"), 2, 0), "a scatter reads updates elsewhere");
  expect(readsInPlace(graph.get<KernelOp>("softmax"), 0, 1), "the last pass over a row may overwrite it");
  expect(!readsInPlace(graph.get<KernelOp>("softmax"), 0, 0), "an earlier pass over a row may not overwrite it");
}

static void testStrips() {
  analysistest::Graph graph(R"(
func.func @f(%x: tensor<9x4xf32>, %y: tensor<9x4xf32>, %z: tensor<4xf32>) {
  %0, %1 = lathe.kernel(%a = %x : tensor<9x4xf32>, %b = %y : tensor<9x4xf32>, %c = %z : tensor<4xf32>) -> (tensor<9x4xf32>, tensor<9x4xf32>) attributes {is = "strips"} {
    %2, %3 = lathe.strips(%d = %a : tensor<9x4xf32>, %e = %b : tensor<9x4xf32>, %f = %c : tensor<4xf32>) -> (tensor<9x4xf32>, tensor<9x4xf32>)
        attributes {extents = #lathe.shape<[9]>, height = 2 : i64, places = [array<i64: 0>, array<i64: 0>, array<i64>], rows = "strip"} {
      %4 = lathe.kernel(%g = %e : tensor<?x4xf32, #lathe.dims<strip>>) -> tensor<?x4xf32, #lathe.dims<strip>> {
        %6 = lathe.reverse %g dims [1] : tensor<?x4xf32, #lathe.dims<strip>>
        lathe.yield %6 : tensor<?x4xf32, #lathe.dims<strip>>
      }
      %5 = lathe.kernel(%g = %d : tensor<?x4xf32, #lathe.dims<strip>>, %h = %4 : tensor<?x4xf32, #lathe.dims<strip>>, %i = %f : tensor<4xf32>) -> tensor<?x4xf32, #lathe.dims<strip>> {
        %6 = lathe.broadcast %i dims [1] to [strip, 4] : tensor<4xf32> -> tensor<?x4xf32, #lathe.dims<strip>>
        %7 = lathe.add %g, %h : tensor<?x4xf32, #lathe.dims<strip>>
        %8 = lathe.mul %7, %6 : tensor<?x4xf32, #lathe.dims<strip>>
        lathe.yield %8 : tensor<?x4xf32, #lathe.dims<strip>>
      }
      lathe.yield %4, %5 : tensor<?x4xf32, #lathe.dims<strip>>, tensor<?x4xf32, #lathe.dims<strip>>
    }
    lathe.yield %2, %3 : tensor<9x4xf32>, tensor<9x4xf32>
  }
  return
})");
  using analysistest::expect;
  auto strips = graph.get<KernelOp>("strips");
  expect(readsInPlace(strips, 0, 1), "strips may write where the kernel that writes reads, point by point");
  expect(!readsInPlace(strips, 0, 0), "another kernel of the strip may not have read yet");
  expect(!readsInPlace(strips, 1, 0), "the kernel that writes reads elsewhere");
  expect(!readsInPlace(strips, 1, 1), "the kernel that writes does not read the input");
  expect(!readsInPlace(strips, 2, 1), "every strip reads the whole input");
}

static void testLoops() {
  analysistest::Graph graph(R"(
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0, %1 = lathe.scan carry(%a = %x : tensor<4xf32>, %b = %x : tensor<4xf32>) trip 8 -> (tensor<4xf32>, tensor<4xf32>) attributes {is = "loop"} {
    %2 = lathe.kernel(%c = %a : tensor<4xf32>) -> tensor<4xf32> {
      %4 = lathe.neg %c : tensor<4xf32>
      lathe.yield %4 : tensor<4xf32>
    }
    %3 = lathe.kernel(%c = %b : tensor<4xf32>) -> tensor<4xf32> attributes {is = "reversal"} {
      %4 = lathe.reverse %c dims [0] : tensor<4xf32>
      lathe.yield %4 : tensor<4xf32>
    }
    lathe.yield carry(%2 : tensor<4xf32>, %3 : tensor<4xf32>)
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
})");
  Positions positions;
  positions.number(graph.block());
  Operation *loop = graph.op("loop");
  using analysistest::expect;
  expect(updatesInPlace(loop, 0, positions), "an elementwise step updates its carry in place");
  expect(!updatesInPlace(loop, 1, positions), "a reversal needs a second buffer for its carry");
  expect(originOf(loop->getResult(0), positions) == graph.block().getArgument(0), "the result is in the first value's buffer");
  expect(originOf(loop->getResult(1), positions) == loop->getResult(1), "a carry with two buffers has its own");
}

void analysistest::testInPlace() {
  testKernels();
  testStrips();
  testLoops();
}
