#include "test/unit/Autodiff/Graphs.h"

static Graph solve(const std::string &words, const std::string &matrix, const std::string &right) {
  // A diagonal of at least 1.5 keeps the system away from singular ones.
  std::string diagonal = "  %d = lathe.constant dense<[[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]> : tensor<3x3xf64>\n";
  return {"triangular_solve " + words,
          function("%x: " + matrix + ", %b: " + right, right,
                   diagonal + "  %a = lathe.add %x, %d : " + matrix +
                       ", tensor<3x3xf64>\n  %r = lathe.triangular_solve %a, %b " + words + " : " + matrix + ", " + right)};
}

std::vector<Graph> linearAlgebraGraphs() {
  const std::string named = "tensor<?x3x3xf64, #lathe.dims<N>>", square = "tensor<3x3xf64>";
  std::vector<Graph> graphs;
  for (const std::string words : {"", "upper", "transposed unit", "upper transposed"})
    graphs.push_back(solve(words, square, "tensor<3x2xf64>"));
  for (const std::string words : {"right", "right upper unit", "right transposed", "right upper transposed"})
    graphs.push_back(solve(words, named, "tensor<?x2x3xf64, #lathe.dims<N>>"));
  graphs.push_back({"cholesky", function("%x: " + named, named, R"(
  %d = lathe.constant dense<[[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]> : tensor<3x3xf64>
  %s = lathe.dot_general %x, %x contract [2] x [2] batch [0] x [0] : tensor<?x3x3xf64, #lathe.dims<N>>
  %a = lathe.add %s, %d : tensor<?x3x3xf64, #lathe.dims<N>>, tensor<3x3xf64>
  %r = lathe.cholesky %a : tensor<?x3x3xf64, #lathe.dims<N>>)")});
  for (const std::string order : {"dim 0", "dim 1 descending"})
    graphs.push_back({"sort " + order, function("%x: tensor<4x?x3xf64, #lathe.dims<N>>", "tensor<4x?x3xf64, #lathe.dims<N>>",
                                                "  %r = lathe.sort %x " + order + " : tensor<4x?x3xf64, #lathe.dims<N>>")});
  return graphs;
}
