#include "test/unit/Autodiff/Graphs.h"

std::vector<Graph> shapeGraphs() {
  const std::string rows = "tensor<?x2xf64, #lathe.dims<N>>", vector = "tensor<?xf64, #lathe.dims<N>>";
  return {
      {"broadcast", function("%x: tensor<1x3xf64>", "tensor<2x4x3xf64>",
                             "  %r = lathe.broadcast %x dims [1, 2] to [2, 4, 3] : tensor<1x3xf64>")},
      {"broadcast named", function("%x: tensor<2xf64>, %y: " + rows, rows,
                                   "  %b = lathe.broadcast %x dims [1] to [N, 2] : tensor<2xf64> -> " + rows +
                                       "\n  %r = lathe.mul %b, %y : " + rows)},
      {"reshape", function("%x: tensor<2x6xf64>", "tensor<3x4xf64>", "  %r = lathe.reshape %x to [3, 4] : tensor<2x6xf64>")},
      {"transpose",
       function("%x: tensor<2x3x4xf64>", "tensor<4x2x3xf64>", "  %r = lathe.transpose %x [2, 0, 1] : tensor<2x3x4xf64>")},
      {"reverse", function("%x: tensor<2x3xf64>", "tensor<2x3xf64>", "  %r = lathe.reverse %x dims [1] : tensor<2x3xf64>")},
      {"slice", function("%x: tensor<2x9xf64>", "tensor<1x3xf64>",
                         "  %r = lathe.slice %x from [1, 2] to [2, 8] step [1, 2] : tensor<2x9xf64>")},
      {"slice named", function("%x: " + rows, "tensor<2x2xf64>", "  %r = lathe.slice %x from [1, 0] to [3, 2] : " + rows)},
      {"slice named strided",
       function("%x: " + rows, "tensor<2x2xf64>", "  %r = lathe.slice %x from [0, 0] to [3, 2] step [2, 1] : " + rows)},
      {"slice to the end",
       function("%x: " + vector, "tensor<?xf64, #lathe.dims<N - 1>>", "  %r = lathe.slice %x from [1] to [N] : " + vector)},
      {"pad", function("%x: tensor<2x3xf64>, %v: tensor<f64>", "tensor<3x6xf64>",
                       "  %r = lathe.pad %x, %v low [1, 2] high [0, -1] interior [0, 1] : tensor<2x3xf64>, tensor<f64>")},
      {"pad cropping", function("%x: tensor<5xf64>, %v: tensor<f64>", "tensor<4xf64>",
                                "  %r = lathe.pad %x, %v low [-2] high [1] : tensor<5xf64>, tensor<f64>")},
      {"pad named", function("%x: " + vector + ", %v: tensor<f64>", "tensor<?xf64, #lathe.dims<N + 3>>",
                             "  %r = lathe.pad %x, %v low [1] high [2] : " + vector + ", tensor<f64>")},
      {"concatenate", function("%x: tensor<2x1xf64>, %y: tensor<2x3xf64>", "tensor<2x6xf64>", R"(
  %c = lathe.constant dense<1.0> : tensor<2x2xf64>
  %r = lathe.concatenate %x, %c, %y dim 1 : tensor<2x1xf64>, tensor<2x2xf64>, tensor<2x3xf64>)")},
      {"concatenate twice",
       function("%x: tensor<2xf64>", "tensor<4xf64>", "  %r = lathe.concatenate %x, %x dim 0 : tensor<2xf64>, tensor<2xf64>")},
      {"concatenate named",
       function("%a: tensor<1xf64>, %x: " + vector + ", %y: tensor<2xf64>, %z: tensor<?xf64, #lathe.dims<M>>",
                "tensor<?xf64, #lathe.dims<M + N + 3>>",
                "  %r = lathe.concatenate %a, %x, %y, %z dim 0 : tensor<1xf64>, " + vector +
                    ", tensor<2xf64>, tensor<?xf64, #lathe.dims<M>>")},
      {"concatenate named first", function("%x: " + vector + ", %y: tensor<2xf64>", "tensor<?xf64, #lathe.dims<N + 2>>",
                                           "  %r = lathe.concatenate %x, %y dim 0 : " + vector + ", tensor<2xf64>")},
      {"gather", function("%x: tensor<4x2xf64>, %i: tensor<3x2xi32>", "tensor<3x2x2xf64>",
                          "  %r = lathe.gather %x, %i axis 0 batch 0 : tensor<4x2xf64>, tensor<3x2xi32>")},
      {"gather batched",
       function("%x: tensor<?x4xf64, #lathe.dims<N>>, %i: tensor<?xi64, #lathe.dims<N>>", vector,
                "  %r = lathe.gather %x, %i axis 1 batch 1 : tensor<?x4xf64, #lathe.dims<N>>, tensor<?xi64, #lathe.dims<N>>")},
      {"scatter",
       function("%x: tensor<2x4xf64>, %i: tensor<5xi64>, %u: tensor<2x5xf64>", "tensor<2x4xf64>",
                "  %r = lathe.scatter add %x, %i, %u axis 1 batch 0 : tensor<2x4xf64>, tensor<5xi64>, tensor<2x5xf64>")},
      {"scatter updates", function("%i: tensor<5xi32>, %u: tensor<5xf64>", "tensor<4xf64>", R"(
  %c = lathe.constant dense<1.0> : tensor<4xf64>
  %r = lathe.scatter add %c, %i, %u axis 0 batch 0 : tensor<4xf64>, tensor<5xi32>, tensor<5xf64>)")},
  };
}
