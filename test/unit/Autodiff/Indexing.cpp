#include "test/unit/Autodiff/Graphs.h"

/// A scatter of six updates at indices of which several are equal and some outside.
static Graph scatter(const std::string &kind, const std::string &what) {
  std::string x = what == "updates" ? "%c" : "%x", u = what == "into" ? "%c" : "%u";
  std::string constant = "  %c = lathe.constant dense<0.7> : tensor<" + std::string(what == "into" ? "6" : "4") + "xf64>\n";
  return {"scatter " + kind + " " + what, function("%x: tensor<4xf64>, %i: tensor<6xi32>, %u: tensor<6xf64>", "tensor<4xf64>",
                                                   (what == "both" ? "" : constant) + "  %r = lathe.scatter " + kind + " " + x +
                                                       ", %i, " + u + " axis 0 : tensor<4xf64>, tensor<6xi32>, tensor<6xf64>")};
}

std::vector<Graph> indexingGraphs() {
  const std::string rows = "tensor<?x4xf64, #lathe.dims<N>>";
  std::vector<Graph> graphs = {
      {"dynamic_slice", function("%x: tensor<3x6xf64>, %i: tensor<i32>, %j: tensor<i64>", "tensor<2x3xf64>",
                                 "  %r = lathe.dynamic_slice %x [%i, %j] size [2, 3] : tensor<3x6xf64>, (tensor<i32>, "
                                 "tensor<i64>)")},
      {"dynamic_slice named",
       function("%x: " + rows + ", %i: tensor<i32>", "tensor<?x2xf64, #lathe.dims<N>>",
                "  %r = lathe.dynamic_slice %x [%i, %i] size [N, 2] : " + rows + ", (tensor<i32>, tensor<i32>)")},
      {"dynamic_update_slice", function("%x: " + rows + ", %u: tensor<2x3xf64>, %i: tensor<i32>, %j: tensor<i32>", rows,
                                        "  %r = lathe.dynamic_update_slice %x, %u [%i, %j] : " + rows +
                                            ", tensor<2x3xf64>, (tensor<i32>, tensor<i32>)")},
      {"scatter set rows",
       function("%x: tensor<2x4x2xf64>, %i: tensor<2x3xi64>, %u: tensor<2x3x2xf64>", "tensor<2x4x2xf64>",
                "  %r = lathe.scatter set %x, %i, %u axis 1 batch 1 : tensor<2x4x2xf64>, tensor<2x3xi64>, tensor<2x3x2xf64>")},
      {"scatter set of many",
       function("%x: tensor<2x4xf64>, %i: tensor<2x3xi64>, %u: tensor<2x2x3xf64>", "tensor<2x4xf64>",
                "  %r = lathe.scatter set %x, %i, %u axis 1 : tensor<2x4xf64>, tensor<2x3xi64>, tensor<2x2x3xf64>")},
      {"scatter max named",
       function("%x: " + rows + ", %i: tensor<?xi64, #lathe.dims<N>>, %u: tensor<?xf64, #lathe.dims<N>>", rows,
                "  %r = lathe.scatter max %x, %i, %u axis 1 batch 1 : " + rows +
                    ", tensor<?xi64, #lathe.dims<N>>, tensor<?xf64, #lathe.dims<N>>")},
  };
  for (const char *kind : {"set", "mul", "max", "min"})
    for (const char *what : {"into", "updates", "both"})
      graphs.push_back(scatter(kind, what));
  return graphs;
}
