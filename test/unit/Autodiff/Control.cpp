// Graphs with branches and loops: each kind alone, in one another, with values from outside, with lengths at both ends.
#include "test/unit/Autodiff/Graphs.h"

/// A network of one layer over time; `clause` stands behind the scan's operands.
static std::string recurrent(const std::string &clause, const std::string &before = "") {
  return R"(
func.func private @f(%xs: tensor<4x3xf64>, %h0: tensor<3xf64>, %w: tensor<3x3xf64>, %b: tensor<3xf64>) -> (tensor<3xf64>, tensor<4x3xf64>) {
  )" + before +
         R"(
  %h, %ys = lathe.scan carry(%h = %h0 : tensor<3xf64>) over(%x = %xs : tensor<4x3xf64>) )" +
         clause + R"( -> (tensor<3xf64>, tensor<4x3xf64>) {
    %0 = lathe.dot_general %w, %h contract [1] x [0] : tensor<3x3xf64>, tensor<3xf64>
    %s = lathe.sin %b : tensor<3xf64>
    %1 = lathe.mul %x, %s : tensor<3xf64>
    %2 = lathe.add %0, %1 : tensor<3xf64>
    %next = lathe.tanh %2 : tensor<3xf64>
    %y = lathe.mul %next, %h : tensor<3xf64>
    lathe.yield carry(%next : tensor<3xf64>) collect(%y : tensor<3xf64>)
  }
  return %h, %ys : tensor<3xf64>, tensor<4x3xf64>
}
)";
}

static std::string recurrentUpTo(int length, const std::string &policy = "") {
  return recurrent("length %t" + policy, "%t = lathe.constant dense<" + std::to_string(length) + "> : tensor<i32>");
}

/// A power series: no slices, a carry that is an integer, a step that reads a table at its number.
static std::string counted(const std::string &trip) {
  return R"(
func.func private @f(%x: tensor<2xf64>, %table: tensor<?xf64, #lathe.dims<N>>) -> tensor<2xf64> {
  %one = lathe.constant dense<1> : tensor<i32>
  %zero = lathe.constant dense<0> : tensor<i32>
  %p0 = lathe.constant dense<1.0> : tensor<2xf64>
  %s0 = lathe.constant dense<0.0> : tensor<2xf64>
  %i, %p, %s = lathe.scan carry(%i = %zero : tensor<i32>, %p = %p0 : tensor<2xf64>, %s = %s0 : tensor<2xf64>) trip )" +
         trip + R"(
      -> (tensor<i32>, tensor<2xf64>, tensor<2xf64>) {
    %c = lathe.gather %table, %i axis 0 : tensor<?xf64, #lathe.dims<N>>, tensor<i32>
    %m = lathe.mul %p, %c : tensor<2xf64>, tensor<f64>
    %s1 = lathe.add %s, %m : tensor<2xf64>
    %p1 = lathe.mul %p, %x : tensor<2xf64>
    %i1 = lathe.add %i, %one : tensor<i32>
    lathe.yield carry(%i1 : tensor<i32>, %p1 : tensor<2xf64>, %s1 : tensor<2xf64>)
  }
  return %s : tensor<2xf64>
}
)";
}

/// Loops over rows and along them; the inner one sees values of all levels.
static const char *scanInScan = R"(
func.func private @f(%xs: tensor<3x4xf64>, %a: tensor<f64>, %h0: tensor<f64>) -> (tensor<f64>, tensor<3x4xf64>) {
  %h, %ys = lathe.scan carry(%h = %h0 : tensor<f64>) over(%row = %xs : tensor<3x4xf64>) -> (tensor<f64>, tensor<3x4xf64>) {
    %scale = lathe.exp %h : tensor<f64>
    %g, %zs = lathe.scan carry(%g = %h : tensor<f64>) over(%x = %row : tensor<4xf64>) reverse -> (tensor<f64>, tensor<4xf64>) {
      %0 = lathe.mul %g, %a : tensor<f64>
      %1 = lathe.mul %x, %scale : tensor<f64>
      %2 = lathe.add %0, %1 : tensor<f64>
      %g1 = lathe.sin %2 : tensor<f64>
      lathe.yield carry(%g1 : tensor<f64>) collect(%g1 : tensor<f64>)
    }
    %total = lathe.reduce sum %zs dims [0] : tensor<4xf64>
    %half = lathe.mul %total, %a : tensor<f64>
    %next = lathe.tanh %half : tensor<f64>
    lathe.yield carry(%next : tensor<f64>) collect(%zs : tensor<4xf64>)
  }
  return %h, %ys : tensor<f64>, tensor<3x4xf64>
}
)";

/// A branch whose sides keep different things, one of them a constant for the second result; `limit` picks the side.
static std::string branch(const std::string &limit) {
  return R"(
func.func private @f(%x: tensor<3xf64>, %y: tensor<3xf64>, %a: tensor<f64>) -> (tensor<3xf64>, tensor<f64>) {
  %sq = lathe.mul %a, %a : tensor<f64>
  %limit = lathe.constant dense<)" +
         limit + R"(> : tensor<f64>
  %p = lathe.compare gt %sq, %limit : tensor<f64>
  %r, %s = lathe.if %p -> (tensor<3xf64>, tensor<f64>) {
    %e = lathe.exp %x : tensor<3xf64>
    %0 = lathe.mul %e, %y : tensor<3xf64>
    %1 = lathe.sin %0 : tensor<3xf64>
    %2 = lathe.mul %1, %sq : tensor<3xf64>, tensor<f64>
    %one = lathe.constant dense<1.0> : tensor<f64>
    lathe.yield %2, %one : tensor<3xf64>, tensor<f64>
  } else {
    %0 = lathe.mul %x, %a : tensor<3xf64>, tensor<f64>
    %1 = lathe.cos %0 : tensor<3xf64>
    %2 = lathe.mul %1, %1 : tensor<3xf64>
    %3 = lathe.reduce sum %2 dims [0] : tensor<3xf64>
    %4 = lathe.exp %3 : tensor<f64>
    lathe.yield %x, %4 : tensor<3xf64>, tensor<f64>
  }
  return %r, %s : tensor<3xf64>, tensor<f64>
}
)";
}

/// A branch in each step, taken in every other one.
static const char *branchInScan = R"(
func.func private @f(%xs: tensor<5x2xf64>, %w: tensor<2xf64>, %h0: tensor<2xf64>) -> tensor<2xf64> {
  %zero = lathe.constant dense<0> : tensor<i32>
  %i, %h = lathe.scan carry(%i = %zero : tensor<i32>, %h = %h0 : tensor<2xf64>) over(%x = %xs : tensor<5x2xf64>) -> (tensor<i32>, tensor<2xf64>) {
    %one = lathe.constant dense<1> : tensor<i32>
    %none = lathe.constant dense<0> : tensor<i32>
    %i1 = lathe.add %i, %one : tensor<i32>
    %odd = lathe.and %i, %one : tensor<i32>
    %p = lathe.compare ne %odd, %none : tensor<i32>
    %next = lathe.if %p -> tensor<2xf64> {
      %0 = lathe.mul %h, %x : tensor<2xf64>
      %1 = lathe.mul %0, %w : tensor<2xf64>
      %2 = lathe.sin %1 : tensor<2xf64>
      lathe.yield %2 : tensor<2xf64>
    } else {
      %0 = lathe.mul %h, %w : tensor<2xf64>
      %1 = lathe.add %0, %x : tensor<2xf64>
      lathe.yield %1 : tensor<2xf64>
    }
    lathe.yield carry(%i1 : tensor<i32>, %next : tensor<2xf64>)
  }
  return %h : tensor<2xf64>
}
)";

/// Steps until a sum is large: how many is data, and not a matter of the derivative.
static std::string whileLoop(const std::string &policy) {
  return R"(
func.func private @f(%x: tensor<3xf64>, %v0: tensor<3xf64>, %w: tensor<3xf64>) -> (tensor<3xf64>, tensor<f64>) {
  %zero = lathe.constant dense<0> : tensor<i32>
  %n, %v = lathe.while carry(%n = %zero : tensor<i32>, %v = %v0 : tensor<3xf64>) bound 8)" +
         policy + R"( {
    %last = lathe.constant dense<5> : tensor<i32>
    %go = lathe.compare lt %n, %last : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %one = lathe.constant dense<1> : tensor<i32>
    %n1 = lathe.add %n, %one : tensor<i32>
    %c = lathe.cos %w : tensor<3xf64>
    %0 = lathe.mul %v, %c : tensor<3xf64>
    %1 = lathe.add %0, %x : tensor<3xf64>
    %2 = lathe.sin %1 : tensor<3xf64>
    %3 = lathe.mul %2, %x : tensor<3xf64>
    lathe.yield carry(%n1 : tensor<i32>, %3 : tensor<3xf64>)
  }
  %f = lathe.convert %n to f64 : tensor<i32>
  %s = lathe.reduce sum %v dims [0] : tensor<3xf64>
  %r = lathe.mul %f, %s : tensor<f64>
  return %v, %r : tensor<3xf64>, tensor<f64>
}
)";
}

/// Newton's method for the root of y^3 + y = x, a loop that never runs and one in a scan.
static const char *whileInScan = R"(
func.func private @f(%xs: tensor<3xf64>, %a: tensor<f64>) -> (tensor<3xf64>, tensor<f64>) {
  %h, %ys = lathe.scan carry(%h = %a : tensor<f64>) over(%x = %xs : tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
    %zero = lathe.constant dense<0> : tensor<i32>
    %k, %y = lathe.while carry(%k = %zero : tensor<i32>, %y = %h : tensor<f64>) bound 6 {
      %three = lathe.constant dense<3> : tensor<i32>
      %go = lathe.compare lt %k, %three : tensor<i32>
      lathe.condition %go : tensor<i1>
    } do {
      %one = lathe.constant dense<1> : tensor<i32>
      %k1 = lathe.add %k, %one : tensor<i32>
      %c3 = lathe.constant dense<3.0> : tensor<f64>
      %c1 = lathe.constant dense<1.0> : tensor<f64>
      %y2 = lathe.mul %y, %y : tensor<f64>
      %y3 = lathe.mul %y2, %y : tensor<f64>
      %0 = lathe.add %y3, %y : tensor<f64>
      %1 = lathe.sub %0, %x : tensor<f64>
      %2 = lathe.mul %c3, %y2 : tensor<f64>
      %3 = lathe.add %2, %c1 : tensor<f64>
      %4 = lathe.div %1, %3 : tensor<f64>
      %y1 = lathe.sub %y, %4 : tensor<f64>
      lathe.yield carry(%k1 : tensor<i32>, %y1 : tensor<f64>)
    }
    %never = lathe.while carry(%z = %y : tensor<f64>) bound 2 {
      %go = lathe.constant dense<false> : tensor<i1>
      lathe.condition %go : tensor<i1>
    } do {
      %z2 = lathe.mul %z, %z : tensor<f64>
      lathe.yield carry(%z2 : tensor<f64>)
    }
    %next = lathe.mul %never, %a : tensor<f64>
    lathe.yield carry(%next : tensor<f64>) collect(%y : tensor<f64>)
  }
  return %ys, %h : tensor<3xf64>, tensor<f64>
}
)";

/// Work for memory, in a region of one's own.
static const char *checkpointed = R"(
func.func private @f(%x: tensor<3xf64>, %w: tensor<3xf64>) -> (tensor<3xf64>, tensor<f64>) {
  %e = lathe.exp %x : tensor<3xf64>
  %y, %s = lathe.checkpoint -> (tensor<3xf64>, tensor<f64>) {
    %0 = lathe.mul %e, %w : tensor<3xf64>
    %1 = lathe.sin %0 : tensor<3xf64>
    %2 = lathe.mul %1, %x : tensor<3xf64>
    %3 = lathe.checkpoint -> tensor<3xf64> {
      %4 = lathe.cos %2 : tensor<3xf64>
      %5 = lathe.mul %4, %4 : tensor<3xf64>
      lathe.yield %5 : tensor<3xf64>
    }
    %6 = lathe.reduce sum %2 dims [0] : tensor<3xf64>
    lathe.yield %3, %6 : tensor<3xf64>, tensor<f64>
  }
  return %y, %s : tensor<3xf64>, tensor<f64>
}
)";

/// A gradient step in each step of a scan: reverse mode inside of a loop.
static const char *gradientInScan = R"(
func.func private @energy(%x: tensor<3xf64>, %k: tensor<3xf64>) -> tensor<f64> {
  %s = lathe.sin %x : tensor<3xf64>
  %q = lathe.mul %s, %k : tensor<3xf64>
  %r = lathe.reduce sum %q dims [0] : tensor<3xf64>
  return %r : tensor<f64>
}
func.func private @f(%x0: tensor<3xf64>, %ks: tensor<4x3xf64>) -> tensor<3xf64> {
  %x = lathe.scan carry(%x = %x0 : tensor<3xf64>) over(%k = %ks : tensor<4x3xf64>) -> tensor<3xf64> {
    %e, %g = lathe.value_and_grad @energy(%x, %k) wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>)
    %next = lathe.sub %x, %g : tensor<3xf64>
    lathe.yield carry(%next : tensor<3xf64>)
  }
  return %x : tensor<3xf64>
}
)";

std::vector<Graph> controlGraphs() {
  return {{"scan", recurrent("")},
          {"scan from the last step", recurrent("reverse")},
          {"scan of no step", recurrentUpTo(0)},
          {"scan of two steps", recurrentUpTo(2)},
          {"scan of more steps than there are", recurrentUpTo(9)},
          {"scan in segments", recurrent("checkpoint sqrt")},
          {"scan in segments of three, from the last step", recurrent("reverse checkpoint every 3")},
          {"scan of no step in segments", recurrentUpTo(0, " checkpoint every 3")},
          {"scan of two steps in segments", recurrentUpTo(2, " checkpoint every 3")},
          {"scan of more steps than there are in segments", recurrentUpTo(9, " checkpoint every 3")},
          {"scan with a segment a step", recurrent("checkpoint every 1")},
          {"scan of one segment", recurrentUpTo(3, " checkpoint every 100")},
          {"counted scan", counted("N")},
          {"counted scan in segments", counted("2 * N checkpoint every 2")},
          {"counted scan in segments that do not divide it", counted("2 * N checkpoint every 3")},
          {"counted scan in segments of its root", counted("N + 1 checkpoint sqrt")},
          {"scan in scan", scanInScan},
          {"if taken", branch("-1.0")},
          {"if not taken", branch("10.0")},
          {"if in scan", branchInScan},
          {"while", whileLoop("")},
          {"while in segments", whileLoop(" checkpoint sqrt")},
          {"while in segments of three", whileLoop(" checkpoint every 3")},
          {"checkpoint", checkpointed},
          {"while in scan", whileInScan},
          {"gradient in scan", gradientInScan}};
}
