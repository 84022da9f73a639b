// RUN: lathe-opt %s --lathe-import --lathe-sink-products --canonicalize | FileCheck %s
// RUN: lathe-run %s outer --random --check
// RUN: lathe-run %s ragged --input n=2 --check | FileCheck %s --check-prefix=RAGGED
// RUN: lathe-run %s two --random --check
// RUN: lathe-run %s batched --random --check --threads 2
// RUN: lathe-run %s named --random --dim T=1 --check
// RUN: lathe-run %s named --random --dim T=7 --check
// RUN: lathe-run %s stays --random --check
// RUN: lathe-run %s segments --random --check

// The weights' gradient of a recurrent net: what the loop goes over is there, the other factor is collected.
// CHECK-LABEL: func.func @outer
// CHECK: [[R:%.*]]:2 = lathe.scan carry({{.*}}) trip 9
// CHECK-NOT: dot_general
// CHECK: lathe.yield carry([[Y:%.*]] : tensor<1x4xf32>) collect([[Y]] : tensor<1x4xf32>)
// CHECK: [[P:%.*]] = lathe.dot_general %arg0, [[R]]#1 contract [0, 1] x [0, 1] : tensor<9x1x3xf32>, tensor<9x1x4xf32>
// CHECK: lathe.add %arg1, [[P]] : tensor<3x4xf32>
func.func @outer(%xs: tensor<9x1x3xf32>, %a: tensor<3x4xf32>, %z: tensor<1x4xf32>) -> (tensor<3x4xf32>, tensor<1x4xf32>) {
  %sum, %last = lathe.scan carry(%s = %a : tensor<3x4xf32>, %c = %z : tensor<1x4xf32>) over(%x = %xs : tensor<9x1x3xf32>)
      -> (tensor<3x4xf32>, tensor<1x4xf32>) {
    %y = lathe.tanh %c : tensor<1x4xf32>
    %p = lathe.dot_general %x, %y contract [0] x [0] : tensor<1x3xf32>, tensor<1x4xf32>
    %t = lathe.add %s, %p : tensor<3x4xf32>
    lathe.yield carry(%t : tensor<3x4xf32>, %y : tensor<1x4xf32>)
  }
  return %sum, %last : tensor<3x4xf32>, tensor<1x4xf32>
}

// Steps that do not run: what the loop goes over may be anything there, also no number, so it is collected, with zeros.
// CHECK-LABEL: func.func @ragged
// CHECK: lathe.yield carry({{.*}}) collect({{.*}} : tensor<1x2xf32>, {{.*}} : tensor<1x2xf32>)
// CHECK: lathe.dot_general {{.*}} contract [0, 1] x [0, 1] : tensor<3x1x2xf32>
// RAGGED: f32[2][2] min 2 max 14{{.*}}: 5 14 2 8
func.func @ragged(%n: tensor<i32>) -> tensor<2x2xf32> {
  %xs = lathe.constant dense<[[[1.0, 2.0]], [[2.0, 0.0]], [[0x7FC00000, 0x7FC00000]]]> : tensor<3x1x2xf32>
  %zero = lathe.constant dense<0.0> : tensor<2x2xf32>
  %one = lathe.constant dense<[[1.0, 4.0]]> : tensor<1x2xf32>
  %two = lathe.constant dense<[[1.0, 1.0]]> : tensor<1x2xf32>
  %sum, %last = lathe.scan carry(%s = %zero : tensor<2x2xf32>, %c = %one : tensor<1x2xf32>)
      over(%x = %xs : tensor<3x1x2xf32>) length %n : tensor<i32> -> (tensor<2x2xf32>, tensor<1x2xf32>) {
    %p = lathe.dot_general %x, %c contract [0] x [0] : tensor<1x2xf32>, tensor<1x2xf32>
    %t = lathe.add %s, %p : tensor<2x2xf32>
    %d = lathe.add %c, %two : tensor<1x2xf32>
    lathe.yield carry(%t : tensor<2x2xf32>, %d : tensor<1x2xf32>)
  }
  return %sum : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @two
// CHECK-NOT: lathe.scan
// CHECK-DAG: lathe.dot_general %arg0, %arg1 contract [0, 1] x [0, 2]
// CHECK-DAG: lathe.dot_general %arg0, %arg0 contract [0, 1] x [0, 1]
// The carry begins with zeros, to which nothing need be added.
// CHECK: lathe.add
// CHECK-NOT: lathe.add
// CHECK: return
func.func @two(%xs: tensor<5x2x3xf64>, %ys: tensor<5x3x2xf64>) -> tensor<3x3xf64> {
  %zero = lathe.constant dense<0.0> : tensor<3x3xf64>
  %sum = lathe.scan carry(%s = %zero : tensor<3x3xf64>) over(%x = %xs : tensor<5x2x3xf64>, %y = %ys : tensor<5x3x2xf64>)
      -> tensor<3x3xf64> {
    %p = lathe.dot_general %x, %y contract [0] x [1] : tensor<2x3xf64>, tensor<3x2xf64>
    %q = lathe.dot_general %x, %x contract [0] x [0] : tensor<2x3xf64>, tensor<2x3xf64>
    %t = lathe.add %p, %s : tensor<3x3xf64>
    %u = lathe.add %t, %q : tensor<3x3xf64>
    lathe.yield carry(%u : tensor<3x3xf64>)
  }
  return %sum : tensor<3x3xf64>
}

// CHECK-LABEL: func.func @batched
// CHECK: lathe.dot_general {{.*}} contract [0, 2] x [0, 3] batch [1] x [2] : tensor<6x2x4x3xi32>, tensor<6x5x2x4xi32>
func.func @batched(%xs: tensor<6x2x4x3xi32>, %ys: tensor<6x5x2x4xi32>) -> tensor<2x3x5xi32> {
  %zero = lathe.constant dense<0> : tensor<2x3x5xi32>
  %sum = lathe.scan carry(%s = %zero : tensor<2x3x5xi32>) over(%x = %xs : tensor<6x2x4x3xi32>, %y = %ys : tensor<6x5x2x4xi32>) reverse
      -> tensor<2x3x5xi32> {
    %p = lathe.dot_general %x, %y contract [1] x [2] batch [0] x [1] : tensor<2x4x3xi32>, tensor<5x2x4xi32>
    %t = lathe.add %s, %p : tensor<2x3x5xi32>
    lathe.yield carry(%t : tensor<2x3x5xi32>)
  }
  return %sum : tensor<2x3x5xi32>
}

// CHECK-LABEL: func.func @named
// CHECK-NOT: lathe.scan
// CHECK: lathe.dot_general %arg0, %arg0 contract [0] x [0]
func.func @named(%xs: tensor<?x3xf32> {lathe.dims = #lathe.dims<T>}) -> tensor<3x3xf32> {
  %zero = lathe.constant dense<0.0> : tensor<3x3xf32>
  %sum = lathe.scan carry(%s = %zero : tensor<3x3xf32>) over(%x = %xs : tensor<?x3xf32>) -> tensor<3x3xf32> {
    %p = lathe.dot_general %x, %x contract [] x [] : tensor<3xf32>, tensor<3xf32>
    %t = lathe.add %s, %p : tensor<3x3xf32>
    lathe.yield carry(%t : tensor<3x3xf32>)
  }
  return %sum : tensor<3x3xf32>
}

// A sum that the steps look at, a factor that is the same in each step, products larger than their sum.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-3: lathe.dot_general
// CHECK: lathe.yield
// CHECK-NOT: lathe.dot_general
func.func @stays(%xs: tensor<5x2x3xf32>, %w: tensor<2x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<f32>) {
  %zero = lathe.constant dense<0.0> : tensor<3x3xf32>
  %none = lathe.constant dense<0.0> : tensor<f32>
  %a, %b, %c = lathe.scan carry(%s = %zero : tensor<3x3xf32>, %r = %zero : tensor<3x3xf32>, %v = %none : tensor<f32>)
      over(%x = %xs : tensor<5x2x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<f32>) {
    %p = lathe.dot_general %x, %x contract [0] x [0] : tensor<2x3xf32>, tensor<2x3xf32>
    %h = lathe.tanh %s : tensor<3x3xf32>
    %t = lathe.add %h, %p : tensor<3x3xf32>
    %q = lathe.dot_general %x, %w contract [0] x [0] : tensor<2x3xf32>, tensor<2x3xf32>
    %u = lathe.add %r, %q : tensor<3x3xf32>
    %e = lathe.sin %x : tensor<2x3xf32>
    %d = lathe.dot_general %x, %e contract [0, 1] x [0, 1] : tensor<2x3xf32>, tensor<2x3xf32>
    %z = lathe.add %v, %d : tensor<f32>
    lathe.yield carry(%t : tensor<3x3xf32>, %u : tensor<3x3xf32>, %z : tensor<f32>)
  }
  return %a, %b, %c : tensor<3x3xf32>, tensor<3x3xf32>, tensor<f32>
}

// The segments of `checkpoint sqrt`: each is one product, and nothing is kept of all of them.
// CHECK-LABEL: func.func @segments
// CHECK: lathe.scan
// CHECK: lathe.scan
// CHECK: lathe.yield carry({{.*}}) collect(
// CHECK: lathe.dot_general
// CHECK-NOT: collect
// CHECK: return
func.func @segments(%xs: tensor<4x3x2x5xf32>, %z: tensor<2x5xf32>) -> (tensor<5x5xf32>, tensor<2x5xf32>) {
  %zero = lathe.constant dense<0.0> : tensor<5x5xf32>
  %sum, %last = lathe.scan carry(%s = %zero : tensor<5x5xf32>, %c = %z : tensor<2x5xf32>) over(%part = %xs : tensor<4x3x2x5xf32>)
      -> (tensor<5x5xf32>, tensor<2x5xf32>) {
    %t, %d = lathe.scan carry(%t = %s : tensor<5x5xf32>, %d = %c : tensor<2x5xf32>) over(%x = %part : tensor<3x2x5xf32>)
        -> (tensor<5x5xf32>, tensor<2x5xf32>) {
      %y = lathe.tanh %d : tensor<2x5xf32>
      %p = lathe.dot_general %x, %y contract [0] x [0] : tensor<2x5xf32>, tensor<2x5xf32>
      %u = lathe.add %t, %p : tensor<5x5xf32>
      lathe.yield carry(%u : tensor<5x5xf32>, %y : tensor<2x5xf32>)
    }
    lathe.yield carry(%t : tensor<5x5xf32>, %d : tensor<2x5xf32>)
  }
  return %sum, %last : tensor<5x5xf32>, tensor<2x5xf32>
}
