// Compiled code against the interpreter: branches and loops, in each other, of named lengths, cut short, reversed, along other
// dimensions than the first; fused and unfused, general and specialised.
// RUN: lathe-run %s cell --random --dim N=3 --dim T=5 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s cell --random --dim N=1 --dim T=1 --check --rtol 1e-5 --atol 1e-6 -O 0
// RUN: lathe-run %s cell --random --dim N=9 --dim T=17 --check --rtol 1e-5 --atol 1e-6 -O 3 --threads 2
// RUN: lathe-run %s cell --random --dim N=9 --dim T=17 --check --rtol 1e-5 --atol 1e-6 --specialize N=9 --specialize T=17
// RUN: lathe-run %s cell --random --dim N=9 --dim T=17 --bisect --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s along --random --dim N=3 --dim T=6 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s along --random --dim N=2 --dim T=1 --check --rtol 1e-5 --atol 1e-6 -O 0
// RUN: lathe-run %s counted --random --dim T=7 --input length=0 --check --rtol 0 --atol 0
// RUN: lathe-run %s counted --random --dim T=7 --input length=1 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s counted --random --dim T=7 --input length=7 --check --rtol 0 --atol 0
// RUN: lathe-run %s counted --random --dim T=7 --input length=9 --check --rtol 0 --atol 0 --specialize T=7
// RUN: lathe-run %s counted --random --dim T=7 --input length=-3 --check --rtol 0 --atol 0
// RUN: lathe-run %s counted --random --dim T=7 --input length=4 --bisect --rtol 0 --atol 0
// RUN: lathe-run %s tree --random --dim N=5 --dim T=3 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s tree --random --dim N=5 --dim T=3 --check --rtol 1e-5 --atol 1e-6 -O 0
// RUN: lathe-run %s tree --random --dim N=40 --dim T=4 --bisect --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s steps --input n=17 --check --rtol 0 --atol 0
// RUN: lathe-run %s steps --input n=1 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s swap --random --input n=5 --check --rtol 0 --atol 0
// RUN: lathe-run %s swap --random --input n=4 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s swap --random --input n=0 --bisect --rtol 0 --atol 0
// RUN: lathe-run %s pick --random --input n=3 --check --rtol 0 --atol 0
// RUN: lathe-run %s pick --random --input n=-3 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s fill --random --dim T=6 --check --rtol 0 --atol 0
// RUN: lathe-run %s fill --random --dim T=6 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s none --random --check --rtol 0 --atol 0
// RUN: lathe-run %s halves --random --dim T=5 --check --rtol 1e-2 --atol 1e-2
// RUN: lathe-run %s halves --random --dim T=5 --bisect --rtol 1e-2 --atol 1e-2
// RUN: lathe-run %s remember --random --dim N=4 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s remember --random --dim N=4 --bisect --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s fit --random --dim N=20 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s fit --random --dim N=3 --check --rtol 1e-4 --atol 1e-5 -O 0 --specialize N=3
// RUN: lathe-run %s guard --input p=1 --input v=3 --check --rtol 0 --atol 0
// RUN: lathe-run %s guard --input p=0 --input v=1e9 --check --rtol 0 --atol 0
// RUN: sh -c 'lathe-run %s guard --input p=1 --input v=1e9; test $? = 4' 2>&1 | FileCheck %s --check-prefix=GUARD
// RUN: sh -c 'lathe-run %s guard --input p=1 --input v=1e9 -O 0; test $? = 4' 2>&1 | FileCheck %s --check-prefix=GUARD
// RUN: lathe-run %s beside --random --input n=2 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s rows --random --input n=2 --check --rtol 1e-5 --atol 1e-6

// A recurrent cell: products, a captured matrix, the outputs of all steps.
func.func @cell(%xs: tensor<?x?x6xf32> {lathe.dims = #lathe.dims<T, N>}, %h0: tensor<?x8xf32> {lathe.dims = #lathe.dims<N>},
                %w: tensor<6x8xf32>, %u: tensor<8x8xf32>, %b: tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?x?x8xf32>) {
  %h, %ys = lathe.scan carry(%h = %h0 : tensor<?x8xf32>) over(%x = %xs : tensor<?x?x6xf32>) checkpoint sqrt
      -> (tensor<?x8xf32>, tensor<?x?x8xf32>) {
    %xw = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x6xf32>, tensor<6x8xf32>
    %hu = lathe.dot_general %h, %u contract [1] x [0] : tensor<?x8xf32>, tensor<8x8xf32>
    %sum = lathe.add %xw, %hu : tensor<?x8xf32>
    %shifted = lathe.add %sum, %b : tensor<?x8xf32>, tensor<8xf32>
    %next = lathe.tanh %shifted : tensor<?x8xf32>
    lathe.yield carry(%next : tensor<?x8xf32>) collect(%next : tensor<?x8xf32>)
  }
  return %h, %ys : tensor<?x8xf32>, tensor<?x?x8xf32>
}

// Along the second dimension, backwards, two sequences, a carry that is a scalar.
func.func @along(%a: tensor<?x?x3xf32> {lathe.dims = #lathe.dims<N, T>}, %b: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, T>})
    -> (tensor<f32>, tensor<?x?x3xf32>, tensor<?x?xf32>) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %s, %cs, %ds = lathe.scan carry(%s = %zero : tensor<f32>) over(%x = %a : tensor<?x?x3xf32>, %y = %b : tensor<?x?xf32>) dim 1 reverse
      -> (tensor<f32>, tensor<?x?x3xf32>, tensor<?x?xf32>) {
    %c = lathe.add %x, %s : tensor<?x3xf32>, tensor<f32>
    %d = lathe.mul %y, %s : tensor<?xf32>, tensor<f32>
    %m = lathe.reduce max %y dims [0] : tensor<?xf32>
    %next = lathe.sub %m, %s : tensor<f32>
    lathe.yield carry(%next : tensor<f32>) collect(%c : tensor<?x3xf32>, %d : tensor<?xf32>)
  }
  return %s, %cs, %ds : tensor<f32>, tensor<?x?x3xf32>, tensor<?x?xf32>
}

// Slots behind the length are zero, whichever way the loop runs.
func.func @counted(%xs: tensor<?x5xf32> {lathe.dims = #lathe.dims<T>}, %length: tensor<i32>)
    -> (tensor<5xf32>, tensor<?x5xf32>, tensor<5xf32>, tensor<?x5xf32>, tensor<?xi64>) {
  %one = lathe.constant dense<1.0> : tensor<5xf32>
  %h, %ys = lathe.scan carry(%h = %one : tensor<5xf32>) over(%x = %xs : tensor<?x5xf32>) length %length -> (tensor<5xf32>, tensor<?x5xf32>) {
    %next = lathe.sub %x, %h : tensor<5xf32>
    lathe.yield carry(%next : tensor<5xf32>) collect(%h : tensor<5xf32>)
  }
  %long = lathe.convert %length to i64 : tensor<i32>
  %zero = lathe.constant dense<0> : tensor<i64>
  %g, %i, %zs, %is = lathe.scan carry(%k = %one : tensor<5xf32>, %j = %zero : tensor<i64>) over(%x = %xs : tensor<?x5xf32>)
      reverse length %long : tensor<i64> -> (tensor<5xf32>, tensor<i64>, tensor<?x5xf32>, tensor<?xi64>) {
    %step = lathe.constant dense<1> : tensor<i64>
    %next = lathe.sub %x, %k : tensor<5xf32>
    %after = lathe.add %j, %step : tensor<i64>
    lathe.yield carry(%next : tensor<5xf32>, %after : tensor<i64>) collect(%next : tensor<5xf32>, %after : tensor<i64>)
  }
  return %h, %ys, %g, %zs, %is : tensor<5xf32>, tensor<?x5xf32>, tensor<5xf32>, tensor<?x5xf32>, tensor<?xi64>
}

// A scan of branches, of which one has a loop with a scan in it; all of them use values from outside.
func.func @tree(%xs: tensor<?x?xf32> {lathe.dims = #lathe.dims<T, N>}, %w: tensor<?xf32> {lathe.dims = #lathe.dims<N>},
                %limit: tensor<f32>) -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?xi32>) {
  %start = lathe.neg %w : tensor<?xf32>
  %v, %all, %counts = lathe.scan carry(%v = %start : tensor<?xf32>) over(%x = %xs : tensor<?x?xf32>)
      -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?xi32>) {
    %s = lathe.reduce sum %x dims [0] : tensor<?xf32>
    %positive = lathe.compare gt %s, %limit : tensor<f32>
    %zero = lathe.constant dense<0> : tensor<i32>
    %next, %count = lathe.if %positive -> (tensor<?xf32>, tensor<i32>) {
      %i, %u = lathe.while carry(%i = %zero : tensor<i32>, %u = %v : tensor<?xf32>) bound 100 {
        %largest = lathe.reduce max %u dims [0] : tensor<?xf32>
        %three = lathe.constant dense<3> : tensor<i32>
        %small = lathe.compare lt %largest, %limit : tensor<f32>
        %few = lathe.compare lt %i, %three : tensor<i32>
        %go = lathe.or %small, %few : tensor<i1>
        lathe.condition %go : tensor<i1>
      } do {
        %one = lathe.constant dense<1> : tensor<i32>
        %j = lathe.add %i, %one : tensor<i32>
        %total, %running = lathe.scan carry(%t = %limit : tensor<f32>) over(%e = %xs : tensor<?x?xf32>) -> (tensor<f32>, tensor<?xf32>) {
          %m = lathe.reduce max %e dims [0] : tensor<?xf32>
          %abs = lathe.abs %t : tensor<f32>
          %next = lathe.add %abs, %m : tensor<f32>
          lathe.yield carry(%next : tensor<f32>) collect(%m : tensor<f32>)
        }
        %r = lathe.reduce max %running dims [0] : tensor<?xf32>
        %both = lathe.add %total, %r : tensor<f32>
        %size = lathe.abs %both : tensor<f32>
        %half = lathe.constant dense<0.5> : tensor<f32>
        %more = lathe.add %size, %half : tensor<f32>
        %grown = lathe.add %u, %more : tensor<?xf32>, tensor<f32>
        lathe.yield carry(%j : tensor<i32>, %grown : tensor<?xf32>)
      }
      lathe.yield %u, %i : tensor<?xf32>, tensor<i32>
    } else {
      %mixed = lathe.mul %x, %w : tensor<?xf32>
      lathe.yield %mixed, %zero : tensor<?xf32>, tensor<i32>
    }
    lathe.yield carry(%next : tensor<?xf32>) collect(%next : tensor<?xf32>, %count : tensor<i32>)
  }
  return %v, %all, %counts : tensor<?xf32>, tensor<?x?xf32>, tensor<?xi32>
}

// Collatz: a loop without a bound.
func.func @steps(%n: tensor<i64>) -> tensor<i64> {
  %zero = lathe.constant dense<0> : tensor<i64>
  %last, %count = lathe.while carry(%k = %n : tensor<i64>, %c = %zero : tensor<i64>) {
    %one = lathe.constant dense<1> : tensor<i64>
    %go = lathe.compare gt %k, %one : tensor<i64>
    lathe.condition %go : tensor<i1>
  } do {
    %one = lathe.constant dense<1> : tensor<i64>
    %bit = lathe.and %k, %one : tensor<i64>
    %odd = lathe.compare eq %bit, %one : tensor<i64>
    %next = lathe.if %odd -> tensor<i64> {
      %three = lathe.constant dense<3> : tensor<i64>
      %tripled = lathe.mul %k, %three : tensor<i64>
      %sum = lathe.add %tripled, %one : tensor<i64>
      lathe.yield %sum : tensor<i64>
    } else {
      %half = lathe.shift_right %k, %one : tensor<i64>
      lathe.yield %half : tensor<i64>
    }
    %more = lathe.add %c, %one : tensor<i64>
    lathe.yield carry(%next : tensor<i64>, %more : tensor<i64>)
  }
  return %count : tensor<i64>
}

// Carries that change places, one that moves within itself, one that is passed on, an input as the first value of two.
func.func @swap(%a: tensor<7xf32>, %n: tensor<i32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) {
  %b = lathe.neg %a : tensor<7xf32>
  %x, %y, %z, %u = lathe.scan carry(%x = %a : tensor<7xf32>, %y = %b : tensor<7xf32>, %z = %a : tensor<7xf32>, %u = %b : tensor<7xf32>)
      trip 5 length %n -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) {
    %turned = lathe.reverse %z dims [0] : tensor<7xf32>
    %next = lathe.add %turned, %x : tensor<7xf32>
    lathe.yield carry(%y : tensor<7xf32>, %x : tensor<7xf32>, %next : tensor<7xf32>, %u : tensor<7xf32>)
  }
  return %x, %y, %z, %u : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
}

// A branch of an argument, of a constant and of the same value twice; its results are results of the entry and go on.
func.func @pick(%a: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>) {
  %zero = lathe.constant dense<0> : tensor<i32>
  %p = lathe.compare gt %n, %zero : tensor<i32>
  %x, %y = lathe.if %p -> (tensor<4xf32>, tensor<4xf32>) {
    lathe.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  } else {
    %c = lathe.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %d = lathe.mul %c, %a : tensor<4xf32>
    lathe.yield %c, %d : tensor<4xf32>, tensor<4xf32>
  }
  %square = lathe.reshape %y to [2, 2] : tensor<4xf32>
  return %x, %y, %square : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
}

// A tensor that is filled row by row, in its place.
func.func @fill(%xs: tensor<?x3xf32> {lathe.dims = #lathe.dims<T>}) -> tensor<10x3xf32> {
  %zeros = lathe.constant dense<0.0> : tensor<10x3xf32>
  %first = lathe.constant dense<2> : tensor<i32>
  %all, %i = lathe.scan carry(%all = %zeros : tensor<10x3xf32>, %i = %first : tensor<i32>) over(%x = %xs : tensor<?x3xf32>)
      -> (tensor<10x3xf32>, tensor<i32>) {
    %one = lathe.constant dense<1> : tensor<i32>
    %zero = lathe.constant dense<0> : tensor<i32>
    %row = lathe.reshape %x to [1, 3] : tensor<3xf32>
    %next = lathe.dynamic_update_slice %all, %row [%i, %zero] : tensor<10x3xf32>, tensor<1x3xf32>, (tensor<i32>, tensor<i32>)
    %j = lathe.add %i, %one : tensor<i32>
    lathe.yield carry(%next : tensor<10x3xf32>, %j : tensor<i32>)
  }
  return %all : tensor<10x3xf32>
}

// No step at all: the carry stays, the stack is empty.
func.func @none(%a: tensor<3xf32>, %xs: tensor<0x3xf32>) -> (tensor<3xf32>, tensor<0x3xf32>) {
  %h, %ys = lathe.scan carry(%h = %a : tensor<3xf32>) over(%x = %xs : tensor<0x3xf32>) -> (tensor<3xf32>, tensor<0x3xf32>) {
    %next = lathe.add %h, %x : tensor<3xf32>
    lathe.yield carry(%next : tensor<3xf32>) collect(%next : tensor<3xf32>)
  }
  return %h, %ys : tensor<3xf32>, tensor<0x3xf32>
}

// Halves are computed on in f32 and carried as they are; unsigned integers are ordered as such.
func.func @halves(%xs: tensor<?x6xbf16> {lathe.dims = #lathe.dims<T>}, %ks: tensor<?x6xui8> {lathe.dims = #lathe.dims<T>})
    -> (tensor<6xbf16>, tensor<?xbf16>, tensor<ui8>) {
  %zero = lathe.constant dense<0.0> : tensor<6xbf16>
  %none = lathe.constant dense<0> : tensor<ui8>
  %h, %m, %ys = lathe.scan carry(%h = %zero : tensor<6xbf16>, %m = %none : tensor<ui8>)
      over(%x = %xs : tensor<?x6xbf16>, %k = %ks : tensor<?x6xui8>) -> (tensor<6xbf16>, tensor<ui8>, tensor<?xbf16>) {
    %sin = lathe.sin %x : tensor<6xbf16>
    %next = lathe.add %h, %sin : tensor<6xbf16>
    %s = lathe.reduce sum %next dims [0] : tensor<6xbf16>
    %most = lathe.reduce max %k dims [0] : tensor<6xui8>
    %all = lathe.max %m, %most : tensor<ui8>
    lathe.yield carry(%next : tensor<6xbf16>, %all : tensor<ui8>) collect(%s : tensor<bf16>)
  }
  return %h, %ys, %m : tensor<6xbf16>, tensor<?xbf16>, tensor<ui8>
}

// A variable that a loop reads and whose new value it makes, by a composite.
lathe.variable @memory : tensor<4xf32> init dense<[1.0, -1.0, 0.5, 2.0]> : tensor<4xf32>
func.func @remember(%xs: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x4xf32> {
  %start = lathe.read @memory : tensor<4xf32>
  %m, %ys = lathe.scan carry(%m = %start : tensor<4xf32>) over(%x = %xs : tensor<?x4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
    %old = lathe.read @memory : tensor<4xf32>
    %mixed = lathe.mul %x, %old : tensor<4xf32>
    %sum = lathe.add %mixed, %m : tensor<4xf32>
    %soft = lathe.std.softmax %sum : tensor<4xf32>
    lathe.yield carry(%soft : tensor<4xf32>) collect(%sum : tensor<4xf32>)
  }
  lathe.write @memory, %m : tensor<4xf32>
  return %ys : tensor<?x4xf32>
}

// Gradient descent: a derivative in each step.
func.func private @loss(%w: tensor<4xf32>, %x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f32> {
  %p = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x4xf32>, tensor<4xf32>
  %l = lathe.std.mse %p, %y : tensor<?xf32>, tensor<?xf32>
  return %l : tensor<f32>
}
func.func @fit(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<4xf32>, tensor<30xf32>) {
  %zero = lathe.constant dense<0.0> : tensor<4xf32>
  %w, %ls = lathe.scan carry(%w = %zero : tensor<4xf32>) trip 30 -> (tensor<4xf32>, tensor<30xf32>) {
    %l, %g = lathe.value_and_grad @loss(%w, %x, %y) wrt [0] : (tensor<4xf32>, tensor<?x4xf32>, tensor<?xf32>) -> (tensor<f32>, tensor<4xf32>)
    %rate = lathe.constant dense<0.1> : tensor<f32>
    %step = lathe.mul %g, %rate : tensor<4xf32>, tensor<f32>
    %next = lathe.sub %w, %step : tensor<4xf32>
    lathe.yield carry(%next : tensor<4xf32>) collect(%l : tensor<f32>)
  }
  return %w, %ls : tensor<4xf32>, tensor<30xf32>
}

// No op reads the loop's results; its bound is checked all the same, in the branch that is taken.
func.func @guard(%p: tensor<i1>, %v: tensor<f32>) -> tensor<f32> {
  %r = lathe.if %p -> tensor<f32> {
    // GUARD: control-flow.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: guard: lathe.while exceeds its bound of 10 steps
    %s = lathe.while carry(%i = %v : tensor<f32>) bound 10 {
      %one = lathe.constant dense<1.0> : tensor<f32>
      %go = lathe.compare gt %i, %one : tensor<f32>
      lathe.condition %go : tensor<i1>
    } do {
      %half = lathe.constant dense<0.5> : tensor<f32>
      %next = lathe.mul %i, %half : tensor<f32>
      lathe.yield carry(%next : tensor<f32>)
    }
    lathe.yield %s : tensor<f32>
  } else {
    lathe.yield %v : tensor<f32>
  }
  %w = lathe.neg %v : tensor<f32>
  return %w : tensor<f32>
}

// Loops and branches that no derivative goes through and no batch lies in stay what they are.
func.func private @weighed(%w: tensor<4xf32>, %x: tensor<4xf32>, %n: tensor<i32>) -> tensor<f32> {
  %s, %ys = lathe.scan carry(%c = %x : tensor<4xf32>) trip 3 length %n -> (tensor<4xf32>, tensor<3x4xf32>) {
    %k = lathe.sin %c : tensor<4xf32>
    lathe.yield carry(%k : tensor<4xf32>) collect(%c : tensor<4xf32>)
  }
  %zero = lathe.constant dense<0> : tensor<i32>
  %p = lathe.compare gt %n, %zero : tensor<i32>
  %z = lathe.if %p -> tensor<4xf32> {
    %q = lathe.reduce sum %ys dims [0] : tensor<3x4xf32>
    lathe.yield %q : tensor<4xf32>
  } else {
    lathe.yield %s : tensor<4xf32>
  }
  %m = lathe.mul %w, %z : tensor<4xf32>
  %sq = lathe.mul %m, %m : tensor<4xf32>
  %l = lathe.reduce sum %sq dims [0] : tensor<4xf32>
  return %l : tensor<f32>
}
func.func @beside(%w: tensor<4xf32>, %x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<f32>, tensor<4xf32>) {
  %l, %d = lathe.value_and_grad @weighed(%w, %x, %n) wrt [0] : (tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> (tensor<f32>, tensor<4xf32>)
  return %l, %d : tensor<f32>, tensor<4xf32>
}
func.func private @scaled(%w: tensor<4xf32>, %x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %s = lathe.scan carry(%c = %x : tensor<4xf32>) trip 3 length %n -> tensor<4xf32> {
    %k = lathe.sin %c : tensor<4xf32>
    lathe.yield carry(%k : tensor<4xf32>)
  }
  %m = lathe.mul %w, %s : tensor<4xf32>
  return %m : tensor<4xf32>
}
func.func @rows(%w: tensor<5x4xf32>, %x: tensor<4xf32>, %n: tensor<i32>) -> tensor<5x4xf32> {
  %d = lathe.vmap @scaled(%w, %x, %n) in [0, none, none] : (tensor<5x4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<5x4xf32>
  return %d : tensor<5x4xf32>
}
