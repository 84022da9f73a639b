// The ops that have no derivative by nature, each in the way of one: what they give goes on into floats.
#include "test/unit/OpSet/Integers.h"

static Graph integers(const std::string &name, const std::string &body) {
  return {name, function("%x: tensor<5xf64>, %i: tensor<5xi32>, %j: tensor<5xi64>", "tensor<5xf64>",
                         body + "\n  %r = lathe.mul %f, %x : tensor<5xf64>")};
}

static void addRandomGraphs(std::vector<Graph> &graphs) {
  graphs.push_back(integers("random_bits", R"(
  %seed = lathe.constant dense<7> : tensor<i64>
  %b = lathe.random_bits %seed stream 3 to [5] : i32
  %n = lathe.convert %b to f64 : tensor<5xi32>
  %h = lathe.constant dense<1.0e-9> : tensor<f64>
  %f = lathe.mul %n, %h : tensor<5xf64>, tensor<f64>)"));
  graphs.push_back(integers("random_bits of a seed", R"(
  %one = lathe.slice %j from [2] to [3] : tensor<5xi64>
  %seed = lathe.reshape %one to [] : tensor<1xi64>
  %b = lathe.random_bits %seed stream 4294967295 to [1, 5] : i32
  %c = lathe.reshape %b to [5] : tensor<1x5xi32>
  %n = lathe.convert %c to f64 : tensor<5xi32>
  %h = lathe.constant dense<1.0e-9> : tensor<f64>
  %f = lathe.mul %n, %h : tensor<5xf64>, tensor<f64>)"));
  graphs.push_back(integers("random_bits of i64", R"(
  %one = lathe.slice %j from [2] to [3] : tensor<5xi64>
  %seed = lathe.reshape %one to [] : tensor<1xi64>
  %b = lathe.random_bits %seed stream 5 to [5] : i64
  %n = lathe.convert %b to f64 : tensor<5xi64>
  %h = lathe.constant dense<1.0e-19> : tensor<f64>
  %f = lathe.mul %n, %h : tensor<5xf64>, tensor<f64>)"));
}

std::vector<Graph> integerGraphs() {
  std::vector<Graph> graphs;
  for (std::string op : {"not", "neg", "abs", "sign", "popcount", "count_leading_zeros", "count_trailing_zeros"})
    graphs.push_back(integers(op + " of integers", "  %n = lathe." + op +
                                                       " %i : tensor<5xi32>\n"
                                                       "  %f = lathe.convert %n to f64 : tensor<5xi32>"));
  for (std::string op : {"and", "or", "xor", "shift_left", "shift_right", "shift_right_arithmetic", "add", "sub", "mul", "div",
                         "rem", "max", "min", "floor_div", "floor_mod", "pow"})
    graphs.push_back(integers(op + " of integers", "  %k = lathe.convert %i to i64 : tensor<5xi32>\n"
                                                   "  %n = lathe." +
                                                       op +
                                                       " %j, %k : tensor<5xi64>\n"
                                                       "  %f = lathe.convert %n to f64 : tensor<5xi64>"));
  for (std::string kind : {"eq", "ne", "lt", "le", "gt", "ge"})
    graphs.push_back(integers("compare " + kind, "  %p = lathe.compare " + kind +
                                                     " %x, %f0 : tensor<5xf64>\n"
                                                     "  %f = lathe.select %p, %x, %f0 : tensor<5xi1>, tensor<5xf64>"));
  for (Graph &graph : graphs) // the other side of comparisons
    if (size_t at = graph.text.find("  %p = lathe.compare"); at != std::string::npos)
      graph.text.insert(at, "  %f0 = lathe.convert %i to f64 : tensor<5xi32>\n");
  graphs.push_back(integers("questions and bits", R"(
  %nan = lathe.is_nan %x : tensor<5xf64>
  %infinite = lathe.is_inf %x : tensor<5xf64>
  %finite = lathe.is_finite %x : tensor<5xf64>
  %a = lathe.or %nan, %infinite : tensor<5xi1>
  %p = lathe.and %a, %finite : tensor<5xi1>
  %g = lathe.convert %j to f64 : tensor<5xi64>
  %b = lathe.bitcast %g to i64 : tensor<5xf64>
  %s = lathe.select %p, %j, %b : tensor<5xi1>, tensor<5xi64>
  %f = lathe.bitcast %s to f64 : tensor<5xi64>)"));
  graphs.push_back(integers("clamp of integers", R"(
  %low = lathe.constant dense<1> : tensor<i32>
  %high = lathe.constant dense<3> : tensor<i32>
  %n = lathe.clamp %low, %i, %high : tensor<i32>, tensor<5xi32>, tensor<i32>
  %f = lathe.convert %n to f64 : tensor<5xi32>)"));
  graphs.push_back(integers("logic", R"(
  %z = lathe.constant dense<0> : tensor<i32>
  %p = lathe.compare gt %i, %z : tensor<5xi32>, tensor<i32>
  %q = lathe.not %p : tensor<5xi1>
  %a = lathe.and %p, %q : tensor<5xi1>
  %b = lathe.or %a, %p : tensor<5xi1>
  %c = lathe.xor %b, %q : tensor<5xi1>
  %f = lathe.convert %c to f64 : tensor<5xi1>)"));
  graphs.push_back(integers("argmax", R"(
  %a = lathe.argmax %x dim 0 : tensor<5xf64>
  %n = lathe.convert %a to f64 : tensor<i32>
  %f = lathe.broadcast %n dims [] to [5] : tensor<f64>)"));
  graphs.push_back(integers("argmin", R"(
  %a = lathe.argmin %x dim 0 : tensor<5xf64>
  %n = lathe.convert %a to f64 : tensor<i32>
  %f = lathe.broadcast %n dims [] to [5] : tensor<f64>)"));
  graphs.push_back(integers("argsort and top_k", R"(
  %a = lathe.argsort %x dim 0 : tensor<5xf64>
  %k = lathe.top_k %x dim 0 count 5 : tensor<5xf64>
  %n = lathe.mul %a, %k : tensor<5xi32>
  %f = lathe.convert %n to f64 : tensor<5xi32>)"));
  graphs.push_back(integers("iota and dim_size", R"(
  %k = lathe.iota dim 0 to [5] : f64
  %s = lathe.dim_size %x dim 0 : tensor<5xf64>
  %n = lathe.convert %s to f64 : tensor<i64>
  %f = lathe.div %k, %n : tensor<5xf64>, tensor<f64>)"));
  addRandomGraphs(graphs);
  for (std::string kind : {"sum", "product", "max", "min", "and", "or", "xor"})
    graphs.push_back(integers("reduce " + kind + " of integers", "  %t = lathe.reduce " + kind +
                                                                     " %i dims [0] : tensor<5xi32>\n"
                                                                     "  %n = lathe.convert %t to f64 : tensor<i32>\n"
                                                                     "  %f = lathe.broadcast %n dims [] to [5] : tensor<f64>"));
  for (std::string kind : {"add", "set", "mul", "max", "min"})
    graphs.push_back(
        integers("scatter " + kind + " of integers",
                 "  %s = lathe.scatter " + kind + R"( %i, %j, %i axis 0 : tensor<5xi32>, tensor<5xi64>, tensor<5xi32>
  %f = lathe.convert %s to f64 : tensor<5xi32>)"));
  return graphs;
}
