#include "test/unit/Autodiff/Graphs.h"

static Graph window(const std::string &name, const std::string &operand, const std::string &result, const std::string &op) {
  return {name, function("%x: " + operand, result, "  %r = lathe.reduce_window " + op + " : " + operand)};
}

static std::vector<Graph> windows() {
  const std::string image = "tensor<2x5x4xf64>", rows = "tensor<?x6xf64, #lathe.dims<N>>";
  std::vector<Graph> graphs;
  for (const std::string kind : {"sum", "product", "max", "min"}) {
    graphs.push_back(window("window " + kind, image, "tensor<2x2x3xf64>", kind + " %x window [1, 3, 2] stride [1, 2, 1]"));
    // A window of nothing but holes would give an infinity.
    bool isExtremum = kind == "max" || kind == "min";
    graphs.push_back(window("window padded " + kind, image, isExtremum ? "tensor<2x3x2xf64>" : "tensor<2x3x3xf64>",
                            kind + " %x window [1, 2, 2] stride [1, 2, 3] pad [[0, 0], [1, 0], " +
                                (isExtremum ? "[-1, 1]]" : "[-1, 4]] dilation [1, 1, 2]") + " base_dilation [1, 1, 2]"));
    graphs.push_back(window("window named " + kind, rows, "tensor<?x3xf64, #lathe.dims<N>>",
                            kind + " %x window [2, 2] stride [1, 2] pad [[0, 1], [0, 0]]"));
  }
  graphs.push_back(window("window empty", "tensor<2x3xf64>", "tensor<2x0xf64>", "sum %x window [1, 4]"));
  graphs.push_back(
      {"window_gather", function("%x: tensor<2x6xf64>, %t: tensor<2x3xi32>", "tensor<2x3xf64>",
                                 "  %r = lathe.window_gather %x, %t window [1, 3] stride [1, 2] pad [[0, 0], [1, 0]]"
                                 " : tensor<2x6xf64>, tensor<2x3xi32>")});
  graphs.push_back({"window_scatter",
                    function("%y: tensor<2x3xf64>, %t: tensor<2x3xi32>", "tensor<2x6xf64>",
                             "  %r = lathe.window_scatter %y, %t to [2, 6] window [1, 3] stride [1, 2] pad [[0, 0], [1, 0]]"
                             " : tensor<2x3xf64>, tensor<2x3xi32>")});
  return graphs;
}

static std::vector<Graph> scans() {
  const std::string type = "tensor<3x5xf64>", rows = "tensor<?x4xf64, #lathe.dims<N>>";
  std::vector<Graph> graphs;
  for (const std::string kind : {"sum", "product", "max", "min", "logsumexp"}) {
    graphs.push_back(
        {"cumulative " + kind, function("%x: " + type, type, "  %r = lathe.cumulative " + kind + " %x dim 1 : " + type)});
    graphs.push_back({"cumulative named " + kind,
                      function("%x: " + rows, rows, "  %r = lathe.cumulative " + kind + " %x dim 0 reverse : " + rows)});
  }
  for (const std::string direction : {"", " reverse"})
    graphs.push_back(
        {"linear_recurrence" + direction, function("%a: " + rows + ", %b: " + rows, rows,
                                                   "  %r = lathe.linear_recurrence %a, %b dim 1" + direction + " : " + rows)});
  return graphs;
}

std::vector<Graph> windowGraphs() {
  std::vector<Graph> graphs = windows();
  for (Graph &graph : scans())
    graphs.push_back(std::move(graph));
  return graphs;
}
