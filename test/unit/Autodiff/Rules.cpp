// Functions that declare their derivative: by a tangent, by forward and backward, called in loops and branches, of rules that
// call the function again. Each rule is true, so differences hold it, to the second order too.
#include "test/unit/Autodiff/Graphs.h"

/// log(1 + exp(x)) by a form that does not overflow; its tangent calls it again.
static const char *softplus = R"(
func.func private @softplus(%x: tensor<?xf64, #lathe.dims<N>>) -> tensor<?xf64, #lathe.dims<N>> attributes {lathe.tangent = @softplus_tangent} {
  %zero = lathe.constant dense<0.0> : tensor<f64>
  %p = lathe.max %x, %zero : tensor<?xf64, #lathe.dims<N>>, tensor<f64>
  %a = lathe.abs %x : tensor<?xf64, #lathe.dims<N>>
  %n = lathe.neg %a : tensor<?xf64, #lathe.dims<N>>
  %e = lathe.exp %n : tensor<?xf64, #lathe.dims<N>>
  %l = lathe.log1p %e : tensor<?xf64, #lathe.dims<N>>
  %r = lathe.add %p, %l : tensor<?xf64, #lathe.dims<N>>
  return %r : tensor<?xf64, #lathe.dims<N>>
}
func.func private @softplus_tangent(%x: tensor<?xf64, #lathe.dims<N>>, %t: tensor<?xf64, #lathe.dims<N>>) -> (tensor<?xf64, #lathe.dims<N>>, tensor<?xf64, #lathe.dims<N>>) {
  %y = func.call @softplus(%x) : (tensor<?xf64, #lathe.dims<N>>) -> tensor<?xf64, #lathe.dims<N>>
  %back = lathe.sub %x, %y : tensor<?xf64, #lathe.dims<N>>
  %slope = lathe.exp %back : tensor<?xf64, #lathe.dims<N>>
  %r = lathe.mul %slope, %t : tensor<?xf64, #lathe.dims<N>>
  return %y, %r : tensor<?xf64, #lathe.dims<N>>, tensor<?xf64, #lathe.dims<N>>
}
)";

static const char *softplusCalled = R"(
func.func private @f(%x: tensor<?xf64, #lathe.dims<N>>, %w: tensor<?xf64, #lathe.dims<N>>) -> tensor<?xf64, #lathe.dims<N>> {
  %s = lathe.mul %x, %w : tensor<?xf64, #lathe.dims<N>>
  %y = func.call @softplus(%s) : (tensor<?xf64, #lathe.dims<N>>) -> tensor<?xf64, #lathe.dims<N>>
  %z = lathe.mul %y, %x : tensor<?xf64, #lathe.dims<N>>
  %r = func.call @softplus(%z) : (tensor<?xf64, #lathe.dims<N>>) -> tensor<?xf64, #lathe.dims<N>>
  return %r : tensor<?xf64, #lathe.dims<N>>
}
)";

/// k^n sin(x) and cos(k), of an integer too; forward keeps what backward needs.
static const char *wave = R"(
func.func private @wave(%x: tensor<3xf64>, %n: tensor<i32>, %k: tensor<f64>) -> (tensor<3xf64>, tensor<i32>, tensor<f64>) attributes {lathe.gradient = [@wave_forward, @wave_backward]} {
  %m = lathe.convert %n to f64 : tensor<i32>
  %one = lathe.constant dense<1> : tensor<i32>
  %next = lathe.add %n, %one : tensor<i32>
  %s = lathe.sin %x : tensor<3xf64>
  %a = lathe.mul %k, %m : tensor<f64>
  %y = lathe.mul %s, %a : tensor<3xf64>, tensor<f64>
  %c = lathe.cos %k : tensor<f64>
  return %y, %next, %c : tensor<3xf64>, tensor<i32>, tensor<f64>
}
func.func private @wave_forward(%x: tensor<3xf64>, %n: tensor<i32>, %k: tensor<f64>) -> (tensor<3xf64>, tensor<i32>, tensor<f64>, tensor<3xf64>, tensor<i32>, tensor<f64>) {
  %y, %next, %c = func.call @wave(%x, %n, %k) : (tensor<3xf64>, tensor<i32>, tensor<f64>) -> (tensor<3xf64>, tensor<i32>, tensor<f64>)
  return %y, %next, %c, %x, %n, %k : tensor<3xf64>, tensor<i32>, tensor<f64>, tensor<3xf64>, tensor<i32>, tensor<f64>
}
func.func private @wave_backward(%x: tensor<3xf64>, %n: tensor<i32>, %k: tensor<f64>, %cy: tensor<3xf64>, %cc: tensor<f64>) -> (tensor<3xf64>, tensor<f64>) {
  %m = lathe.convert %n to f64 : tensor<i32>
  %cos = lathe.cos %x : tensor<3xf64>
  %a = lathe.mul %k, %m : tensor<f64>
  %slope = lathe.mul %cos, %a : tensor<3xf64>, tensor<f64>
  %cx = lathe.mul %slope, %cy : tensor<3xf64>
  %s = lathe.sin %x : tensor<3xf64>
  %ms = lathe.mul %s, %m : tensor<3xf64>, tensor<f64>
  %each = lathe.mul %ms, %cy : tensor<3xf64>
  %sum = lathe.reduce sum %each dims [0] : tensor<3xf64>
  %sin = lathe.sin %k : tensor<f64>
  %down = lathe.neg %sin : tensor<f64>
  %other = lathe.mul %down, %cc : tensor<f64>
  %ck = lathe.add %sum, %other : tensor<f64>
  return %cx, %ck : tensor<3xf64>, tensor<f64>
}
)";

static const char *waveCalled = R"(
func.func private @f(%x: tensor<3xf64>, %k: tensor<f64>) -> (tensor<3xf64>, tensor<f64>) {
  %n = lathe.constant dense<2> : tensor<i32>
  %y, %next, %c = func.call @wave(%x, %n, %k) : (tensor<3xf64>, tensor<i32>, tensor<f64>) -> (tensor<3xf64>, tensor<i32>, tensor<f64>)
  %z, %last, %d = func.call @wave(%y, %next, %c) : (tensor<3xf64>, tensor<i32>, tensor<f64>) -> (tensor<3xf64>, tensor<i32>, tensor<f64>)
  %r = lathe.mul %z, %x : tensor<3xf64>
  return %r, %d : tensor<3xf64>, tensor<f64>
}
)";

/// In the steps of a loop and in one branch of two.
static const char *waveInLoop = R"(
func.func private @f(%xs: tensor<3x3xf64>, %k0: tensor<f64>) -> (tensor<f64>, tensor<3x3xf64>) {
  %one = lathe.constant dense<1> : tensor<i32>
  %i, %k, %ys = lathe.scan carry(%i = %one : tensor<i32>, %k = %k0 : tensor<f64>) over(%x = %xs : tensor<3x3xf64>) -> (tensor<i32>, tensor<f64>, tensor<3x3xf64>) {
    %two = lathe.constant dense<2> : tensor<i32>
    %odd = lathe.compare lt %i, %two : tensor<i32>
    %y, %next, %c = lathe.if %odd -> (tensor<3xf64>, tensor<i32>, tensor<f64>) {
      %a, %b, %c = func.call @wave(%x, %i, %k) : (tensor<3xf64>, tensor<i32>, tensor<f64>) -> (tensor<3xf64>, tensor<i32>, tensor<f64>)
      lathe.yield %a, %b, %c : tensor<3xf64>, tensor<i32>, tensor<f64>
    } else {
      %s = lathe.mul %x, %k : tensor<3xf64>, tensor<f64>
      %a, %b, %c = func.call @wave(%s, %i, %k) : (tensor<3xf64>, tensor<i32>, tensor<f64>) -> (tensor<3xf64>, tensor<i32>, tensor<f64>)
      lathe.yield %a, %b, %c : tensor<3xf64>, tensor<i32>, tensor<f64>
    }
    lathe.yield carry(%next : tensor<i32>, %c : tensor<f64>) collect(%y : tensor<3xf64>)
  }
  return %k, %ys : tensor<f64>, tensor<3x3xf64>
}
)";

/// The root of v = a cos(v) by a loop without a bound: reverse derivatives pass by the implicit function alone. It goes on
/// while the change shrinks, which ends in every element type; below a fixed change, f32 may step to and fro for ever.
static const char *fixedPoint = R"(
func.func private @root(%a: tensor<f64>) -> tensor<f64> attributes {lathe.tangent = @root_tangent} {
  %v0 = lathe.constant dense<0.5> : tensor<f64>
  %far = lathe.constant dense<1.0> : tensor<f64>
  %farther = lathe.constant dense<2.0> : tensor<f64>
  %v, %d, %last = lathe.while carry(%v = %v0 : tensor<f64>, %d = %far : tensor<f64>, %last = %farther : tensor<f64>) {
    %go = lathe.compare lt %d, %last : tensor<f64>
    lathe.condition %go : tensor<i1>
  } do {
    %c = lathe.cos %v : tensor<f64>
    %next = lathe.mul %a, %c : tensor<f64>
    %change = lathe.sub %next, %v : tensor<f64>
    %size = lathe.abs %change : tensor<f64>
    lathe.yield carry(%next : tensor<f64>, %size : tensor<f64>, %d : tensor<f64>)
  }
  return %v : tensor<f64>
}
func.func private @root_tangent(%a: tensor<f64>, %t: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %v = func.call @root(%a) : (tensor<f64>) -> tensor<f64>
  %c = lathe.cos %v : tensor<f64>
  %s = lathe.sin %v : tensor<f64>
  %one = lathe.constant dense<1.0> : tensor<f64>
  %as = lathe.mul %a, %s : tensor<f64>
  %scale = lathe.add %one, %as : tensor<f64>
  %slope = lathe.div %c, %scale : tensor<f64>
  %r = lathe.mul %slope, %t : tensor<f64>
  return %v, %r : tensor<f64>, tensor<f64>
}
func.func private @f(%x: tensor<3xf64>) -> tensor<f64> {
  %half = lathe.constant dense<0.3> : tensor<f64>
  %s = lathe.reduce sum %x dims [0] : tensor<3xf64>
  %t = lathe.tanh %s : tensor<f64>
  %a = lathe.mul %t, %half : tensor<f64>
  %v = func.call @root(%a) : (tensor<f64>) -> tensor<f64>
  %r = lathe.mul %v, %s : tensor<f64>
  return %r : tensor<f64>
}
)";

/// The differentiated function declares a rule itself.
static const char *itself = R"(
func.func private @f(%x: tensor<3xf64>, %w: tensor<3xf64>) -> tensor<f64> attributes {lathe.gradient = [@forward, @backward]} {
  %p = lathe.mul %x, %w : tensor<3xf64>
  %r = lathe.reduce product %p dims [0] : tensor<3xf64>
  return %r : tensor<f64>
}
func.func private @forward(%x: tensor<3xf64>, %w: tensor<3xf64>) -> (tensor<f64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>) {
  %p = lathe.mul %x, %w : tensor<3xf64>
  %r = lathe.reduce product %p dims [0] : tensor<3xf64>
  return %r, %r, %x, %w : tensor<f64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>
}
func.func private @backward(%r: tensor<f64>, %x: tensor<3xf64>, %w: tensor<3xf64>, %c: tensor<f64>) -> (tensor<3xf64>, tensor<3xf64>) {
  %rc = lathe.mul %r, %c : tensor<f64>
  %one = lathe.constant dense<1.0> : tensor<f64>
  %ix = lathe.div %one, %x : tensor<f64>, tensor<3xf64>
  %cx = lathe.mul %rc, %ix : tensor<f64>, tensor<3xf64>
  %iw = lathe.div %one, %w : tensor<f64>, tensor<3xf64>
  %cw = lathe.mul %rc, %iw : tensor<f64>, tensor<3xf64>
  return %cx, %cw : tensor<3xf64>, tensor<3xf64>
}
)";

std::vector<Graph> ruleGraphs() {
  return {{"a tangent that calls its function", std::string(softplus) + softplusCalled},
          {"a forward and a backward function", std::string(wave) + waveCalled},
          {"a rule in a branch of a loop", std::string(wave) + waveInLoop},
          {"an implicit derivative of a loop without a bound", fixedPoint},
          {"a rule of the function itself", itself, 0.5, 1.5}};
}
