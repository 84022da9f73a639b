#include "test/unit/Autodiff/Graphs.h"
#include <cmath>
#include <limits>

std::string function(const std::string &arguments, const std::string &result, const std::string &body) {
  return "func.func private @f(" + arguments + ") -> " + result + " {\n" + body + "\n  return %r : " + result + "\n}\n";
}

std::string vectorFunction(const std::string &body) { return function("%x: tensor<3xf64>", "tensor<3xf64>", body); }

static std::string unary(const std::string &op) {
  return function("%x: tensor<5xf64>", "tensor<5xf64>", "  %r = lathe." + op + " %x : tensor<5xf64>");
}
static std::string binary(const std::string &op) {
  return function("%x: tensor<5xf64>, %y: tensor<5xf64>", "tensor<5xf64>", "  %r = lathe." + op + " %x, %y : tensor<5xf64>");
}

std::vector<Graph> elementwiseGraphs() {
  std::vector<Graph> graphs;
  for (const char *op :
       {"neg",  "abs",   "sign", "exp", "expm1", "sin",  "cos",  "tanh",  "logistic", "erf",   "floor",
        "ceil", "round", "exp2", "tan", "atan",  "sinh", "cosh", "asinh", "erfc",     "trunc", "round_half_away"})
    graphs.push_back({op, unary(op)});
  for (const char *op : {"log", "log1p", "sqrt", "rsqrt", "log2", "log10", "cbrt"})
    graphs.push_back({op, unary(op), 0.5, 2.5});
  for (const char *op : {"asin", "acos", "atanh", "erf_inv"})
    graphs.push_back({op, unary(op), -0.75, 0.75});
  for (const char *op : {"lgamma", "digamma", "polygamma"}) {
    std::string order = op == std::string("polygamma") ? " order 1" : "";
    std::string text =
        function("%x: tensor<5xf64>", "tensor<5xf64>", "  %r = lathe." + (op + (" %x" + order)) + " : tensor<5xf64>");
    graphs.push_back({op, text, 0.5, 2.5});
    graphs.push_back({op + std::string(" below 0"), text, -0.75, -0.25});
  }
  graphs.push_back({"acosh", unary("acosh"), 1.25, 3});
  for (const char *op : {"add", "sub", "mul", "max", "min", "atan2", "hypot", "copysign", "nextafter"})
    graphs.push_back({op, binary(op)});
  graphs.push_back({"div", binary("div"), 0.5, 2.5});
  graphs.push_back({"rem", binary("rem"), 0.5, 2.5});
  graphs.push_back({"pow", binary("pow"), 0.5, 2.5});
  for (const char *op : {"floor_div", "floor_mod"})
    graphs.push_back({op, binary(op), 0.5, 2.5});
  for (const char *op : {"fma", "clamp"})
    graphs.push_back(
        {op, function("%x: tensor<5xf64>, %y: tensor<5xf64>, %z: tensor<f64>", "tensor<5xf64>",
                      "  %r = lathe." + std::string(op) + " %x, %y, %z : tensor<5xf64>, tensor<5xf64>, tensor<f64>")});
  graphs.push_back({"ldexp", function("%x: tensor<5xf64>, %n: tensor<5xi32>", "tensor<5xf64>",
                                      "  %r = lathe.ldexp %x, %n : tensor<5xf64>, tensor<5xi32>")});
  for (const char *op : {"add", "sub", "mul", "div", "max", "min", "pow"}) { // one side constant, then broadcast implicitly
    graphs.push_back({std::string(op) + " left",
                      function("%x: tensor<3xf64>", "tensor<3xf64>",
                               "  %c = lathe.constant dense<1.25> : tensor<f64>\n  %r = lathe." + std::string(op) +
                                   " %x, %c : tensor<3xf64>, tensor<f64>"),
                      0.5, 2.5});
    graphs.push_back({std::string(op) + " right",
                      function("%x: tensor<3xf64>", "tensor<2x3xf64>",
                               "  %c = lathe.constant dense<1.25> : tensor<2x1xf64>\n  %r = lathe." + std::string(op) +
                                   " %c, %x : tensor<2x1xf64>, tensor<3xf64>"),
                      0.5, 2.5});
  }
  graphs.push_back({"square", function("%x: tensor<5xf64>", "tensor<5xf64>", "  %r = lathe.mul %x, %x : tensor<5xf64>")});
  graphs.push_back({"select", function("%x: tensor<5xf64>, %y: tensor<5xf64>", "tensor<5xf64>", R"(
  %p = lathe.compare gt %x, %y : tensor<5xf64>
  %s = lathe.sin %x : tensor<5xf64>
  %r = lathe.select %p, %s, %y : tensor<5xi1>, tensor<5xf64>)")});
  graphs.push_back({"select broadcast", function("%x: tensor<f64>, %y: tensor<2x3xf64>", "tensor<2x3xf64>", R"(
  %c = lathe.constant dense<[true, false, true]> : tensor<3xi1>
  %r = lathe.select %c, %x, %y : tensor<3xi1>, tensor<f64>, tensor<2x3xf64>)")});
  graphs.push_back({"convert", function("%x: tensor<5xf64>, %i: tensor<5xi32>", "tensor<5xf64>", R"(
  %a = lathe.convert %i to f64 : tensor<5xi32>
  %b = lathe.mul %x, %a : tensor<5xf64>
  %n = lathe.convert %b to i64 : tensor<5xf64>
  %m = lathe.convert %n to f64 : tensor<5xi64>
  %r = lathe.mul %b, %m : tensor<5xf64>)")});
  for (const char *constant : {"stop_gradient %x", "bitcast %x to f64"})
    graphs.push_back(
        {std::string(constant).substr(0, std::string(constant).find(' ')),
         function("%x: tensor<5xf64>", "tensor<5xf64>", "  %s = lathe." + std::string(constant) + R"( : tensor<5xf64>
  %c = lathe.floor %s : tensor<5xf64>
  %e = lathe.exp %x : tensor<5xf64>
  %r = lathe.mul %e, %c : tensor<5xf64>)")});
  Graph single = {"convert floats", function("%x: tensor<5xf64>", "tensor<5xf64>", R"(
  %s = lathe.convert %x to f32 : tensor<5xf64>
  %n = lathe.neg %s : tensor<5xf32>
  %r = lathe.convert %n to f64 : tensor<5xf32>)")};
  single.step = 0.25; // linear; a small step would be lost in f32
  graphs.push_back(single);
  return graphs;
}

std::vector<Kink> elementwiseKinks() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string zero = "  %zero = lathe.constant dense<0.0> : tensor<f64>\n";
  return {
      {"clamp at its ends",
       vectorFunction(zero + "  %one = lathe.constant dense<1.0> : tensor<f64>\n"
                             "  %r = lathe.clamp %zero, %x, %one : tensor<f64>, tensor<3xf64>, tensor<f64>"),
       {0, 0.25, 1},
       {0.5, 1, 0.5}},
      {"clamp outside",
       vectorFunction(zero + "  %one = lathe.constant dense<1.0> : tensor<f64>\n"
                             "  %r = lathe.clamp %zero, %x, %one : tensor<f64>, tensor<3xf64>, tensor<f64>"),
       {-2, nan, 2},
       {0, nan, 0}},
      {"copysign at 0",
       vectorFunction(zero + "  %r = lathe.copysign %x, %zero : tensor<3xf64>, tensor<f64>"),
       {-2, 0, 2},
       {-1, 0, 1}},
      {"hypot at the origin",
       vectorFunction(zero + "  %r = lathe.hypot %x, %zero : tensor<3xf64>, tensor<f64>"),
       {-2, 0, 2},
       {-1, 0, 1}},
      {"atan2 at the origin",
       vectorFunction(zero + "  %r = lathe.atan2 %x, %zero : tensor<3xf64>, tensor<f64>"),
       {-2, 0, 2},
       {0, nan, 0}},
      {"abs at 0", vectorFunction("  %r = lathe.abs %x : tensor<3xf64>"), {-2, 0, 2}, {-1, 0, 1}},
      {"pow at base 0",
       vectorFunction("  %c = lathe.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf64>\n  %r = lathe.pow %x, %c : tensor<3xf64>"),
       {0, 0, 0},
       {0, 1, 0}},
      {"pow by exponent at base 0",
       vectorFunction("  %c = lathe.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf64>\n  %r = lathe.pow %c, %x : tensor<3xf64>"),
       {2, 2, 2},
       {0, 0, 4 * std::log(2)}},
  };
}
