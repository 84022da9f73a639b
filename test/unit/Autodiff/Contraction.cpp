#include "test/unit/Autodiff/Graphs.h"

static std::string reduce(const std::string &kind, const std::string &dims, const std::string &result) {
  return function("%x: tensor<2x3x4xf64>", result, "  %r = lathe.reduce " + kind + " %x dims " + dims + " : tensor<2x3x4xf64>");
}

static std::string two(const std::string &op, const std::string &left, const std::string &right, const std::string &attributes,
                       const std::string &result) {
  return function("%x: " + left + ", %y: " + right, result,
                  "  %r = lathe." + op + " %x, %y " + attributes + " : " + left + ", " + right);
}

std::vector<Graph> contractionGraphs() {
  std::vector<Graph> graphs;
  for (const char *kind : {"sum", "product", "max", "min"}) {
    graphs.push_back({std::string("reduce ") + kind, reduce(kind, "[1]", "tensor<2x4xf64>")});
    graphs.push_back({std::string("reduce some ") + kind, reduce(kind, "[0, 2]", "tensor<3xf64>")});
    graphs.push_back({std::string("reduce all ") + kind, reduce(kind, "[0, 1, 2]", "tensor<f64>")});
  }
  graphs.push_back({"product of 7",
                    function("%x: tensor<7xf64>", "tensor<f64>", "  %r = lathe.reduce product %x dims [0] : tensor<7xf64>")});
  graphs.push_back({"product of 1", function("%x: tensor<1x2xf64>", "tensor<2xf64>",
                                             "  %r = lathe.reduce product %x dims [0] : tensor<1x2xf64>")});
  graphs.push_back({"reduce named", function("%x: tensor<?x2xf64, #lathe.dims<N>>", "tensor<2xf64>",
                                             "  %s = lathe.mul %x, %x : tensor<?x2xf64, #lathe.dims<N>>\n"
                                             "  %r = lathe.reduce sum %s dims [0] : tensor<?x2xf64, #lathe.dims<N>>")});
  graphs.push_back(
      {"reduce product named", function("%x: tensor<?x2xf64, #lathe.dims<N>>", "tensor<f64>",
                                        "  %r = lathe.reduce product %x dims [0, 1] : tensor<?x2xf64, #lathe.dims<N>>")});
  graphs.push_back({"reduce max named", function("%x: tensor<?x2xf64, #lathe.dims<N>>", "tensor<2xf64>",
                                                 "  %r = lathe.reduce max %x dims [0] : tensor<?x2xf64, #lathe.dims<N>>")});

  graphs.push_back({"dot", two("dot_general", "tensor<2x3xf64>", "tensor<3x4xf64>", "contract [1] x [0]", "tensor<2x4xf64>")});
  graphs.push_back(
      {"dot transposed", two("dot_general", "tensor<3x2xf64>", "tensor<4x3xf64>", "contract [0] x [1]", "tensor<2x4xf64>")});
  graphs.push_back({"dot batched", two("dot_general", "tensor<3x2x5x4xf64>", "tensor<5x2x2x3xf64>",
                                       "contract [2] x [0] batch [1, 0] x [2, 3]", "tensor<2x3x4x2xf64>")});
  graphs.push_back({"dot of two", two("dot_general", "tensor<2x3x4xf64>", "tensor<4x5x2xf64>", "contract [2, 0] x [0, 2]",
                                      "tensor<3x5xf64>")});
  graphs.push_back({"dot outer", two("dot_general", "tensor<2xf64>", "tensor<3xf64>", "contract [] x []", "tensor<2x3xf64>")});
  graphs.push_back({"dot named", two("dot_general", "tensor<?x2xf64, #lathe.dims<N>>", "tensor<?x2xf64, #lathe.dims<M>>",
                                     "contract [1] x [1]", "tensor<?x?xf64, #lathe.dims<N, M>>")});
  graphs.push_back({"gram", function("%x: tensor<3x2xf64>", "tensor<3x3xf64>",
                                     "  %r = lathe.dot_general %x, %x contract [1] x [1] : tensor<3x2xf64>")});

  graphs.push_back(
      {"conv", two("conv", "tensor<2x5x4x2xf64>", "tensor<3x2x2x3xf64>", "stride [1, 1] pad same", "tensor<2x5x4x3xf64>")});
  graphs.push_back({"conv strided", two("conv", "tensor<1x6x5x4xf64>", "tensor<3x2x2x6xf64>",
                                        "stride [2, 3] pad [[1, 0], [2, 1]] dilation [1, 2] groups 2", "tensor<1x3x2x6xf64>")});
  graphs.push_back({"conv dilated", two("conv", "tensor<2x3x2xf64>", "tensor<2x2x1xf64>",
                                        "stride [2] pad [[1, 2]] dilation [2] input_dilation [3]", "tensor<2x4x1xf64>")});
  graphs.push_back({"conv cropped",
                    two("conv", "tensor<1x6x1xf64>", "tensor<2x1x2xf64>", "stride [1] pad [[-1, -2]]", "tensor<1x2x2xf64>")});
  graphs.push_back({"conv named", two("conv", "tensor<?x4x2xf64, #lathe.dims<N>>", "tensor<3x2x2xf64>", "stride [1] pad valid",
                                      "tensor<?x2x2xf64, #lathe.dims<N>>")});
  graphs.push_back({"conv named extent", two("conv", "tensor<2x?x2xf64, #lathe.dims<N>>", "tensor<3x2x2xf64>",
                                             "stride [1] pad same", "tensor<2x?x2xf64, #lathe.dims<N>>")});
  graphs.push_back({"conv_input_grad",
                    two("conv_input_grad", "tensor<1x3x2x6xf64>", "tensor<3x2x2x6xf64>",
                        "input [6, 5] stride [2, 3] pad [[1, 0], [2, 1]] dilation [1, 2] groups 2", "tensor<1x6x5x4xf64>")});
  graphs.push_back({"conv_filter_grad",
                    two("conv_filter_grad", "tensor<1x6x5x4xf64>", "tensor<1x3x2x6xf64>",
                        "filter [3, 2] stride [2, 3] pad [[1, 0], [2, 1]] dilation [1, 2] groups 2", "tensor<3x2x2x6xf64>")});
  return graphs;
}
