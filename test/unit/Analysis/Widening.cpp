#include "lib/Analysis/Widening.h"
#include "test/unit/Analysis/Graph.h"

using namespace mlir;
using namespace lathe;

static void testConversions() {
  analysistest::Graph graph(R"(
func.func @f(%h: tensor<4xf16>, %s: tensor<4xf32>, %i: tensor<4xi8>, %u: tensor<4xui8>, %p: tensor<4xi1>, %w: tensor<4xi64>) {
  %0 = lathe.convert %h to f32 {is = "f16 to f32"} : tensor<4xf16>
  %1 = lathe.convert %h to f64 {is = "f16 to f64"} : tensor<4xf16>
  %2 = lathe.convert %s to f64 {is = "f32 to f64"} : tensor<4xf32>
  %3 = lathe.convert %i to i32 {is = "i8 to i32"} : tensor<4xi8>
  %4 = lathe.convert %u to i32 {is = "ui8 to i32"} : tensor<4xui8>
  %5 = lathe.convert %p to i32 {is = "i1 to i32"} : tensor<4xi1>
  %6 = lathe.convert %w to i32 {is = "i64 to i32"} : tensor<4xi64>
  return
})");
  auto does = [&](StringRef name) { return widens(graph.get<ConvertOp>(name)); };
  using analysistest::expect;
  expect(does("f16 to f32") && !does("f16 to f64") && !does("f32 to f64"), "halves are widened to f32");
  expect(does("i8 to i32") && does("ui8 to i32") && !does("i64 to i32"), "integers are widened to wider ones");
  expect(!does("i1 to i32"), "truth values are not widened");
}

static std::string nest(const char *name, const char *from, const char *fill, const char *op, const char *map) {
  std::string here = std::string("#lathe.access<") + map + " where #always else " + fill + " : " + from + ">";
  return std::string("  %") + name + " = lathe.nest none [4, 4] (%" + from + ") accesses [" + here +
         "] symbols [] {\n  ^bb0(%a: " + from + "):\n    %b = " + op + "\n    lathe.yield %b : f32\n  } {is = \"" + name +
         "\"} : (tensor<4x4x" + from + ">) -> tensor<4x4xf32>\n";
}

static void testNests() {
  analysistest::Graph graph(R"(
#here = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#always = affine_set<(d0, d1) : (0 == 0)>
func.func @f(%f16: tensor<4x4xf16>, %f32: tensor<4x4xf32>) {
)" + nest("widened", "f16", "0.0", "arith.extf %a : f16 to f32", "#here") +
                            nest("transposed", "f16", "0.0", "arith.extf %a : f16 to f32", "#turned") +
                            nest("negated", "f32", "0.0", "arith.negf %a : f32", "#here") + "  return\n}");
  auto from = [&](StringRef name) { return widenedTensor(graph.op(name)->getResult(0)); };
  using analysistest::expect;
  expect(from("widened") == graph.block().getArgument(0), "a nest that only widens is read through");
  expect(!from("transposed"), "a nest that also moves elements is not");
  expect(!from("negated"), "a nest that computes is not");
  expect(!widenedTensor(graph.block().getArgument(0)), "an argument widens nothing");
}

void analysistest::testWidening() {
  testConversions();
  testNests();
}
