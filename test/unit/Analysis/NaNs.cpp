#include "lib/Analysis/NaNs.h"
#include "test/unit/Analysis/Graph.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::analysistest;

/// Returns what mayIgnoreNaN says of the maximum in a function of `%x` whose rows are computed by `rest`.
static bool ofMaximum(const std::string &rest) {
  Graph graph(R"(
func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %m = lathe.reduce max %x dims [1] {is = "maximum"} : tensor<4x8xf32>
  %rows = lathe.broadcast %m dims [0] to [4, 8] : tensor<4xf32>
  %t = lathe.sub %x, %rows : tensor<4x8xf32>
)" + rest + R"(
  return
})");
  return mayIgnoreNaN(graph.get<ReduceOp>("maximum"));
}

void analysistest::testNaNs() {
  const std::string exp = "%e = lathe.exp %t : tensor<4x8xf32>\n";
  const std::string sum = "%s = lathe.reduce sum %e dims [1] : tensor<4x8xf32>\n";
  const std::string repeated = "%r = lathe.broadcast %s dims [0] to [4, 8] : tensor<4xf32>\n";
  const std::string quotient = "%q = lathe.div %e, %r : tensor<4x8xf32>\n";
  expect(ofMaximum(exp + sum + repeated + quotient), "a softmax divides by the sum of its row");
  expect(ofMaximum(exp + sum), "the sum is NaN where the row has one");
  expect(!ofMaximum(exp + sum + repeated + quotient + "%z = lathe.mul %e, %y : tensor<4x8xf32>"),
         "a product with another tensor is not NaN in the rest of the row");
  expect(!ofMaximum(exp + sum + repeated + quotient + "%z = lathe.sub %t, %r : tensor<4x8xf32>"),
         "the difference itself shows the sign of a zero");
  expect(!ofMaximum(exp + sum + repeated + quotient + "%z = lathe.log %m : tensor<4xf32>"), "the maximum is used itself");
  expect(!ofMaximum(exp + sum + "%c = lathe.reduce sum %e dims [0] : tensor<4x8xf32>"), "a sum along columns is of other rows");
  expect(!ofMaximum(exp + R"(
    %all = lathe.reduce sum %e dims [0, 1] : tensor<4x8xf32>
    %r = lathe.broadcast %all dims [] to [4, 8] : tensor<f32>)" +
                    quotient),
         "a sum of all rows is that of no row");
  expect(!ofMaximum(exp + sum + "%l = lathe.log %s : tensor<4xf32>\n%u = lathe.abs %t : tensor<4x8xf32>"),
         "the difference has another use");
}
