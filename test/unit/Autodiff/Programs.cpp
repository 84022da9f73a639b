// Graphs of several ops: nested derivatives, calls, losses as people write them; and gradients at kinks.
#include "test/unit/Autodiff/Graphs.h"
#include <cmath>
#include <limits>

static const char *crossEntropy = R"(
func.func private @dense(%x: tensor<?x4xf64, #lathe.dims<N>>, %w: tensor<4x3xf64>, %b: tensor<3xf64>) -> tensor<?x3xf64, #lathe.dims<N>> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x4xf64, #lathe.dims<N>>, tensor<4x3xf64>
  %1 = lathe.add %0, %b : tensor<?x3xf64, #lathe.dims<N>>, tensor<3xf64>
  return %1 : tensor<?x3xf64, #lathe.dims<N>>
}
func.func private @f(%x: tensor<?x4xf64, #lathe.dims<N>>, %w: tensor<4x3xf64>, %b: tensor<3xf64>, %label: tensor<?xi32, #lathe.dims<N>>) -> tensor<f64> {
  %z = func.call @dense(%x, %w, %b) : (tensor<?x4xf64, #lathe.dims<N>>, tensor<4x3xf64>, tensor<3xf64>) -> tensor<?x3xf64, #lathe.dims<N>>
  %max = lathe.reduce max %z dims [1] : tensor<?x3xf64, #lathe.dims<N>>
  %spread = lathe.broadcast %max dims [0] to [N, 3] : tensor<?xf64, #lathe.dims<N>> -> tensor<?x3xf64, #lathe.dims<N>>
  %shifted = lathe.sub %z, %spread : tensor<?x3xf64, #lathe.dims<N>>
  %e = lathe.exp %shifted : tensor<?x3xf64, #lathe.dims<N>>
  %sum = lathe.reduce sum %e dims [1] : tensor<?x3xf64, #lathe.dims<N>>
  %log = lathe.log %sum : tensor<?xf64, #lathe.dims<N>>
  %picked = lathe.gather %shifted, %label axis 1 batch 1 : tensor<?x3xf64, #lathe.dims<N>>, tensor<?xi32, #lathe.dims<N>>
  %loss = lathe.sub %log, %picked : tensor<?xf64, #lathe.dims<N>>
  %total = lathe.reduce sum %loss dims [0] : tensor<?xf64, #lathe.dims<N>>
  %size = lathe.dim_size %x dim 0 : tensor<?x4xf64, #lathe.dims<N>>
  %n = lathe.convert %size to f64 : tensor<i64>
  %r = lathe.div %total, %n : tensor<f64>
  return %r : tensor<f64>
}
)";

static const char *gradientInside = R"(
func.func private @energy(%x: tensor<3xf64>, %k: tensor<f64>) -> tensor<f64> {
  %s = lathe.sin %x : tensor<3xf64>
  %q = lathe.mul %s, %x : tensor<3xf64>
  %p = lathe.mul %q, %k : tensor<3xf64>, tensor<f64>
  %r = lathe.reduce product %p dims [0] : tensor<3xf64>
  return %r : tensor<f64>
}
func.func private @f(%x: tensor<3xf64>, %k: tensor<f64>) -> tensor<3xf64> {
  %e, %force = lathe.value_and_grad @energy(%x, %k) wrt [0] : (tensor<3xf64>, tensor<f64>) -> (tensor<f64>, tensor<3xf64>)
  %r = lathe.add %force, %e : tensor<3xf64>, tensor<f64>
  return %r : tensor<3xf64>
}
)";

static const char *network = R"(
func.func private @f(%x: tensor<2x4x4x1xf64>, %w: tensor<3x3x1x2xf64>, %b: tensor<2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>) {
  %c = lathe.conv %x, %w stride [1, 1] pad same : tensor<2x4x4x1xf64>, tensor<3x3x1x2xf64>
  %z = lathe.add %c, %b : tensor<2x4x4x2xf64>, tensor<2xf64>
  %zero = lathe.constant dense<0.0> : tensor<f64>
  %p = lathe.compare gt %z, %zero : tensor<2x4x4x2xf64>, tensor<f64>
  %y = lathe.select %p, %z, %zero : tensor<2x4x4x2xi1>, tensor<2x4x4x2xf64>, tensor<f64>
  %sum = lathe.reduce sum %y dims [1, 2] : tensor<2x4x4x2xf64>
  %scale = lathe.constant dense<0.0625> : tensor<f64>
  %mean = lathe.mul %sum, %scale : tensor<2x2xf64>, tensor<f64>
  %max = lathe.reduce max %y dims [1, 2] : tensor<2x4x4x2xf64>
  %t = lathe.tanh %max : tensor<2x2xf64>
  return %mean, %t : tensor<2x2xf64>, tensor<2x2xf64>
}
)";

std::vector<Graph> programGraphs() {
  return {{"cross entropy", crossEntropy}, {"gradient inside", gradientInside}, {"network", network}};
}

std::vector<Kink> kinks() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string zero = "  %zero = lathe.constant dense<0.0> : tensor<f64>\n";
  return {
      {"max tie", vectorFunction(zero + "  %r = lathe.max %x, %zero : tensor<3xf64>, tensor<f64>"), {-1, 0, 2}, {0, 0.5, 1}},
      {"min tie", vectorFunction(zero + "  %r = lathe.min %zero, %x : tensor<f64>, tensor<3xf64>"), {-1, 0, 2}, {1, 0.5, 0}},
      {"max NaN", vectorFunction(zero + "  %r = lathe.max %x, %zero : tensor<3xf64>, tensor<f64>"), {nan, 1, 2}, {nan, 1, 1}},
      {"reduce max tie",
       function("%x: tensor<3xf64>", "tensor<f64>", "  %r = lathe.reduce max %x dims [0] : tensor<3xf64>"),
       {2, 1, 2},
       {0.5, 0, 0.5}},
      {"reduce product with a zero",
       function("%x: tensor<3xf64>", "tensor<f64>", "  %r = lathe.reduce product %x dims [0] : tensor<3xf64>"),
       {2, 0, 3},
       {0, 6, 0}},
      {"scatter max tie",
       vectorFunction(
           "  %i = lathe.constant dense<[1, 1, 0]> : tensor<3xi32>\n  %u = lathe.constant dense<[2.0, 1.0, 5.0]> : "
           "tensor<3xf64>\n  %r = lathe.scatter max %x, %i, %u axis 0 : tensor<3xf64>, tensor<3xi32>, tensor<3xf64>"),
       {1, 2, 3},
       {0, 0.5, 1}},
      {"scatter mul with zeros",
       vectorFunction(
           "  %i = lathe.constant dense<[1, 1, 0]> : tensor<3xi32>\n  %c = lathe.constant dense<[2.0, 3.0, 5.0]> : "
           "tensor<3xf64>\n  %r = lathe.scatter mul %c, %i, %x axis 0 : tensor<3xf64>, tensor<3xi32>, tensor<3xf64>"),
       {0, 7, 0},
       {21, 0, 2}},
      {"max pooling of a tie",
       function("%x: tensor<3xf64>", "tensor<2xf64>", "  %r = lathe.reduce_window max %x window [2] : tensor<3xf64>"),
       {2, 2, 1},
       {1, 1, 0}},
      {"running max of a tie", vectorFunction("  %r = lathe.cumulative max %x dim 0 : tensor<3xf64>"), {2, 2, 3}, {2, 0, 1}},
      {"running product with zeros",
       vectorFunction("  %r = lathe.cumulative product %x dim 0 : tensor<3xf64>"),
       {2, 0, 0},
       {1, 2, 0}},
      {"running logsumexp of -inf",
       vectorFunction("  %r = lathe.cumulative logsumexp %x dim 0 : tensor<3xf64>"),
       {-std::numeric_limits<double>::infinity(), 0, 0},
       {0, 1.5, 0.5}},
      {"relu at 0",
       vectorFunction(zero + "  %p = lathe.compare gt %x, %zero : tensor<3xf64>, tensor<f64>\n"
                             "  %r = lathe.select %p, %x, %zero : tensor<3xi1>, tensor<3xf64>, tensor<f64>"),
       {-1, 0, 2},
       {0, 0, 1}},
      {"sum of a gather outside",
       vectorFunction("  %i = lathe.constant dense<[-1, 1, 3]> : tensor<3xi32>\n"
                      "  %r = lathe.gather %x, %i axis 0 batch 0 : tensor<3xf64>, tensor<3xi32>"),
       {1, 2, 3},
       {0, 1, 0}},
  };
}
