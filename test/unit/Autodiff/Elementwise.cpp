#include "test/unit/Autodiff/Graphs.h"

std::string function(const std::string &arguments, const std::string &result, const std::string &body) {
  return "func.func private @f(" + arguments + ") -> " + result + " {\n" + body + "\n  return %r : " + result + "\n}\n";
}

static std::string unary(const std::string &op) {
  return function("%x: tensor<5xf64>", "tensor<5xf64>", "  %r = lathe." + op + " %x : tensor<5xf64>");
}
static std::string binary(const std::string &op) {
  return function("%x: tensor<5xf64>, %y: tensor<5xf64>", "tensor<5xf64>", "  %r = lathe." + op + " %x, %y : tensor<5xf64>");
}

std::vector<Graph> elementwiseGraphs() {
  std::vector<Graph> graphs;
  for (const char *op :
       {"neg", "abs", "sign", "exp", "expm1", "sin", "cos", "tanh", "logistic", "erf", "floor", "ceil", "round"})
    graphs.push_back({op, unary(op)});
  for (const char *op : {"log", "log1p", "sqrt", "rsqrt"})
    graphs.push_back({op, unary(op), 0.5, 2.5});
  for (const char *op : {"add", "sub", "mul", "max", "min"})
    graphs.push_back({op, binary(op)});
  graphs.push_back({"div", binary("div"), 0.5, 2.5});
  graphs.push_back({"rem", binary("rem"), 0.5, 2.5});
  graphs.push_back({"pow", binary("pow"), 0.5, 2.5});
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
  graphs.push_back({"stop_gradient", function("%x: tensor<5xf64>", "tensor<5xf64>", R"(
  %s = lathe.stop_gradient %x : tensor<5xf64>
  %c = lathe.floor %s : tensor<5xf64>
  %e = lathe.exp %x : tensor<5xf64>
  %r = lathe.mul %e, %c : tensor<5xf64>)")});
  return graphs;
}
