// Each op on a dimension whose first 3 elements are valid, with infinities and NaN after them; values by hand.
// RUN: lathe-run %s sums --input n=3 --check | FileCheck %s --check-prefix=SUMS
// SUMS-DAG: sum = 6
// SUMS-DAG: product = -12
// SUMS-DAG: largest = 4
// SUMS-DAG: smallest = -1
// SUMS-DAG: last = 2
// SUMS-DAG: first = 1
// SUMS-DAG: size = 3
// SUMS-DAG: squares = 26
// SUMS-DAG: all = true
// SUMS-DAG: bits = 7
// No valid element: the result of an empty reduction.
// RUN: lathe-run %s sums --input n=0 --check | FileCheck %s --check-prefix=NONE
// NONE-DAG: sum = 0
// NONE-DAG: product = 1
// NONE-DAG: largest = -inf
// NONE-DAG: smallest = inf
// NONE-DAG: squares = 0
// NONE-DAG: all = true
// NONE-DAG: bits = -1
// Sizes are clamped to what there is.
// RUN: lathe-run %s clamped --input n=9 --check | FileCheck %s --check-prefix=MOST
// RUN: lathe-run %s clamped --input n=-1 --check | FileCheck %s --check-prefix=LEAST
// MOST: y: f32[4] {{.*}}: 3 -1 4 inf
// LEAST: y: f32[0]
// Results come with as much as counts; a result that tells it is there once for one name.
// RUN: lathe-run %s lists --input n=3 --check | FileCheck %s --check-prefix=LISTS
// LISTS-DAG: twice: f32[3] {{.*}}: 6 -2 8
// LISTS-DAG: up: f32[3] {{.*}}: -1 3 4
// LISTS-DAG: down: f32[3] {{.*}}: 4 3 -1
// LISTS-DAG: order: i32[3] {{.*}}: 1 0 2
// LISTS-DAG: falling: i32[3] {{.*}}: 2 1 0
// LISTS-DAG: running: f32[3] {{.*}}: 3 2 6
// LISTS-DAG: back: f32[3] {{.*}}: 6 3 4
// LISTS-DAG: decay: f32[3] {{.*}}: -12 -5 4
// LISTS-DAG: padded: f32[6] {{.*}}: 9 3 -1 4 9 9
// LISTS-DAG: joined: f32[8] {{.*}}: 3 -1 4 7 8 3 -1 4
// LISTS-DAG: rest: f32[2] {{.*}}: -1 4
// LISTS-DAG: column: f32[3][1] {{.*}}: 3 -1 4
// LISTS-DAG: k = 3
// LISTS-DAG: j = 3
// RUN: lathe-run %s lists --input n=0 --check | FileCheck %s --check-prefix=EMPTY
// EMPTY-DAG: twice: f32[0]
// EMPTY-DAG: padded: f32[3] {{.*}}: 9 9 9
// EMPTY-DAG: joined: f32[2] {{.*}}: 7 8
// EMPTY-DAG: rest: f32[0]
// The last two, at most two, each second one; with less of them zeros are in front.
// RUN: lathe-run %s parts --input n=3 --check | FileCheck %s --check-prefix=PARTS
// RUN: lathe-run %s parts --input n=1 --check | FileCheck %s --check-prefix=FEW
// RUN: lathe-run %s parts --input n=0 --check | FileCheck %s --check-prefix=NOPART
// PARTS-DAG: last: f32[2] {{.*}}: -1 4
// PARTS-DAG: begin: f32[2] {{.*}}: 3 -1
// PARTS-DAG: odd: f32[2] {{.*}}: 3 4
// PARTS-DAG: middle: f32[1][2] {{.*}}: 30 40
// PARTS-DAG: head: f32[3] {{.*}}: 1 2 3
// PARTS-DAG: size_ = 2
// FEW-DAG: last: f32[2] {{.*}}: 0 3
// FEW-DAG: begin: f32[1] {{.*}}: 3
// FEW-DAG: odd: f32[1] {{.*}}: 3
// FEW-DAG: middle: f32[1][2] {{.*}}: 0 0
// NOPART-DAG: last: f32[2] {{.*}}: 0 0
// NOPART-DAG: begin: f32[0]
// NOPART-DAG: odd: f32[0]
// A scan takes as many steps as count, in both directions.
// RUN: lathe-run %s steps --input n=3 --check | FileCheck %s --check-prefix=STEPS
// RUN: lathe-run %s steps --input n=0 --check | FileCheck %s --check-prefix=STILL
// STEPS-DAG: sum = 6
// STEPS-DAG: sums: f32[3] {{.*}}: 3 2 6
// STEPS-DAG: back: f32[3] {{.*}}: 6 3 4
// STEPS-DAG: two = 2
// STEPS-DAG: nine = 6
// STILL-DAG: sum = 0
// STILL-DAG: sums: f32[0]
// STILL-DAG: nine = 0
// Rows of a matrix, a place outside of what counts, and updates that do not.
// RUN: lathe-run %s rows --input n=2 --check | FileCheck %s --check-prefix=ROWS
// ROWS-DAG: flat: f32[4] {{.*}}: 1 2 3 4
// ROWS-DAG: product: f32[2][2] {{.*}}: 10 14 14 20
// ROWS-DAG: picked: f32[2][2] {{.*}}: 3 4 0 0
// ROWS-DAG: put: f32[3] {{.*}}: 20 10 0
// ROWS-DAG: softmax: f32[2] {{.*}}: 0.268941{{[0-9]*}} 0.731058{{[0-9]*}}
// ROWS-DAG: odd: i64[1] {{.*}}: 1
// ROWS-DAG: odds = 1
// A size in a branch is of that branch; derivatives go through.
// RUN: lathe-run %s branch --input n=2 --input go=1 --check | FileCheck %s --check-prefix=BRANCH
// BRANCH: s = 4
// RUN: lathe-run %s slope --input n=2 --input x=3 --check | FileCheck %s --check-prefix=SLOPE
// SLOPE: g: f32[4] {{.*}}: 6 6 0 0
// The same in code for one size and for any.
// RUN: lathe-run %s named --input n=2 --input x=3 --dim N=5 --specialize N=5 --check | FileCheck %s --check-prefix=NAMED
// RUN: lathe-run %s named --input n=2 --input x=3 --dim N=6 --specialize N=5 --check | FileCheck %s --check-prefix=NAMED
// NAMED: y: f32[2] {{.*}}: 3 3

func.func @sums(%n: tensor<i64>) -> (tensor<f32> {lathe.name = "sum"}, tensor<f32> {lathe.name = "product"}, tensor<f32> {lathe.name = "largest"}, tensor<f32> {lathe.name = "smallest"}, tensor<i32> {lathe.name = "last"}, tensor<i32> {lathe.name = "first"}, tensor<i64> {lathe.name = "size"}, tensor<f32> {lathe.name = "squares"}, tensor<i1> {lathe.name = "all"}, tensor<i8> {lathe.name = "bits"}) {
  %c = lathe.constant dense<[3.0, -1.0, 4.0, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  %m = lathe.constant dense<[true, true, true, false, false]> : tensor<5xi1>
  %b = lathe.constant dense<[15, 7, 23, 0, 0]> : tensor<5xi8>
  %x = lathe.set_dim_size %c dim 0 to %n as k : tensor<5xf32>
  %s = lathe.dim_size %x dim 0 : tensor<?xf32>
  %0 = lathe.reduce sum %x dims [0] : tensor<?xf32>
  %1 = lathe.reduce product %x dims [0] : tensor<?xf32>
  %2 = lathe.reduce max %x dims [0] : tensor<?xf32>
  %3 = lathe.reduce min %x dims [0] : tensor<?xf32>
  %4 = lathe.argmax %x dim 0 : tensor<?xf32>
  %5 = lathe.argmin %x dim 0 : tensor<?xf32>
  %6 = lathe.dot_general %x, %x contract [0] x [0] : tensor<?xf32>
  %y = lathe.set_dim_size %m dim 0 to %n as l : tensor<5xi1>
  %7 = lathe.reduce and %y dims [0] : tensor<?xi1>
  %z = lathe.set_dim_size %b dim 0 to %n as m : tensor<5xi8>
  %8 = lathe.reduce and %z dims [0] : tensor<?xi8>
  return %0, %1, %2, %3, %4, %5, %s, %6, %7, %8 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<i64>, tensor<f32>, tensor<i1>, tensor<i8>
}

func.func @clamped(%n: tensor<i64>) -> (tensor<?xf32> {lathe.name = "y"}) {
  %c = lathe.constant dense<[3.0, -1.0, 4.0, 0x7F800000]> : tensor<4xf32>
  %x = lathe.set_dim_size %c dim 0 to %n as k : tensor<4xf32>
  return %x : tensor<?xf32>
}

func.func @lists(%n: tensor<i64>) -> (tensor<?xf32> {lathe.name = "twice"}, tensor<?xf32> {lathe.name = "up"}, tensor<?xf32> {lathe.name = "down"}, tensor<?xi32> {lathe.name = "order"}, tensor<?xi32> {lathe.name = "falling"}, tensor<?xf32> {lathe.name = "running"}, tensor<?xf32> {lathe.name = "back"}, tensor<?xf32> {lathe.name = "decay"}, tensor<?xf32> {lathe.name = "padded"}, tensor<?xf32> {lathe.name = "joined"}, tensor<?xf32> {lathe.name = "rest"}, tensor<?x1xf32> {lathe.name = "column"}) {
  %c = lathe.constant dense<[3.0, -1.0, 4.0, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  %p = lathe.constant dense<[2, 1, 0, -9, 9]> : tensor<5xi32>
  %seven = lathe.constant dense<[7.0, 8.0]> : tensor<2xf32>
  %nine = lathe.constant dense<9.0> : tensor<f32>
  %x = lathe.set_dim_size %c dim 0 to %n as k : tensor<5xf32>
  %0 = lathe.add %x, %x : tensor<?xf32>
  %1 = lathe.sort %x dim 0 : tensor<?xf32>
  %2 = lathe.sort %x dim 0 descending : tensor<?xf32>
  %3 = lathe.argsort %x dim 0 : tensor<?xf32>
  %q = lathe.set_dim_size %p dim 0 to %n as j : tensor<5xi32>
  %4 = lathe.argsort %q dim 0 : tensor<?xi32>
  %5 = lathe.cumulative sum %x dim 0 : tensor<?xf32>
  %6 = lathe.cumulative sum %x dim 0 reverse : tensor<?xf32>
  %7 = lathe.linear_recurrence %x, %x dim 0 reverse : tensor<?xf32>
  %8 = lathe.pad %x, %nine low [1] high [2] interior [0] : tensor<?xf32>, tensor<f32>
  %9 = lathe.concatenate %x, %seven, %x dim 0 : tensor<?xf32>, tensor<2xf32>, tensor<?xf32>
  %10 = lathe.slice %x from [1] to [k] step [1] : tensor<?xf32>
  %11 = lathe.reshape %x to [k, 1] : tensor<?xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x1xf32>
}

func.func @parts(%n: tensor<i64>) -> (tensor<2xf32> {lathe.name = "last"}, tensor<?xf32> {lathe.name = "begin"}, tensor<?xf32> {lathe.name = "odd"}, tensor<1x2xf32> {lathe.name = "middle"}, tensor<?xf32, #lathe.dims<k>> {lathe.name = "head"}) {
  %c = lathe.constant dense<[3.0, -1.0, 4.0, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  %x = lathe.set_dim_size %c dim 0 to %n as k : tensor<5xf32>
  %0 = lathe.slice %x from [k - 2] to [k] step [1] : tensor<?xf32>
  %1 = lathe.slice %x from [0] to [min(k, 2)] step [1] : tensor<?xf32>
  %2 = lathe.slice %x from [0] to [k] step [2] : tensor<?xf32>
  %m = lathe.constant dense<[[1.0, 2.0, 9.0], [3.0, 4.0, 9.0]]> : tensor<2x3xf32>
  %ten = lathe.constant dense<10.0> : tensor<f32>
  %t = lathe.mul %m, %ten : tensor<2x3xf32>, tensor<f32>
  %3 = lathe.slice %t from [k - 2, 0] to [k - 1, 2] step [1, 1] : tensor<2x3xf32>
  %w = lathe.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %4 = lathe.slice %w from [0] to [k] step [1] : tensor<5xf32>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<?xf32>, tensor<?xf32>, tensor<1x2xf32>, tensor<?xf32, #lathe.dims<k>>
}

func.func @steps(%n: tensor<i64>) -> (tensor<f32> {lathe.name = "sum"}, tensor<?xf32> {lathe.name = "sums"}, tensor<f32> {lathe.name = "all"}, tensor<?xf32> {lathe.name = "back"}, tensor<f32> {lathe.name = "two"}, tensor<f32> {lathe.name = "nine"}) {
  %c = lathe.constant dense<[3.0, -1.0, 4.0, 0x7F800000, 0x7FC00000]> : tensor<5xf32>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %two = lathe.constant dense<2> : tensor<i32>
  %nine = lathe.constant dense<9> : tensor<i64>
  %x = lathe.set_dim_size %c dim 0 to %n as k : tensor<5xf32>
  %sum, %sums = lathe.scan carry(%h = %zero : tensor<f32>) over(%v = %x : tensor<?xf32>) -> (tensor<f32>, tensor<?xf32>) {
    %next = lathe.add %h, %v : tensor<f32>
    lathe.yield carry(%next : tensor<f32>) collect(%next : tensor<f32>)
  }
  %all, %back = lathe.scan carry(%h = %zero : tensor<f32>) over(%v = %x : tensor<?xf32>) reverse -> (tensor<f32>, tensor<?xf32>) {
    %next = lathe.add %h, %v : tensor<f32>
    lathe.yield carry(%next : tensor<f32>) collect(%next : tensor<f32>)
  }
  %short = lathe.scan carry(%h = %zero : tensor<f32>) over(%v = %x : tensor<?xf32>) length %two : tensor<i32> -> tensor<f32> {
    %next = lathe.add %h, %v : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  %long = lathe.scan carry(%h = %zero : tensor<f32>) over(%v = %x : tensor<?xf32>) length %nine : tensor<i64> -> tensor<f32> {
    %next = lathe.add %h, %v : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  return %sum, %sums, %all, %back, %short, %long : tensor<f32>, tensor<?xf32>, tensor<f32>, tensor<?xf32>, tensor<f32>, tensor<f32>
}

func.func @rows(%n: tensor<i64>) -> (tensor<?xf32> {lathe.name = "flat"}, tensor<2x2xf32> {lathe.name = "product"}, tensor<2x2xf32> {lathe.name = "picked"}, tensor<3xf32> {lathe.name = "put"}, tensor<?xf32> {lathe.name = "softmax"}, tensor<?xi64> {lathe.name = "odd"}, tensor<i64> {lathe.name = "odds"}) {
  %c = lathe.constant dense<[[1.0, 2.0], [3.0, 4.0], [0x7F800000, 0x7FC00000]]> : tensor<3x2xf32>
  %x = lathe.set_dim_size %c dim 0 to %n as k : tensor<3x2xf32>
  %0 = lathe.reshape %x to [2 * k] : tensor<?x2xf32>
  %1 = lathe.dot_general %x, %x contract [0] x [0] : tensor<?x2xf32>
  %places = lathe.constant dense<[1, 2]> : tensor<2xi64>
  %2 = lathe.gather %x, %places axis 0 : tensor<?x2xf32>, tensor<2xi64>
  %to = lathe.constant dense<[1, 0, 2]> : tensor<3xi32>
  %what = lathe.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %into = lathe.constant dense<0.0> : tensor<3xf32>
  %i = lathe.set_dim_size %to dim 0 to %n as i : tensor<3xi32>
  %w = lathe.convert %i to f32 : tensor<?xi32>
  %one = lathe.constant dense<1.0> : tensor<f32>
  %ten = lathe.constant dense<-10.0> : tensor<f32>
  %v = lathe.mul %w, %ten : tensor<?xf32>, tensor<f32>
  %twenty = lathe.constant dense<20.0> : tensor<f32>
  %u = lathe.add %v, %twenty : tensor<?xf32>, tensor<f32>
  %3 = lathe.scatter set %into, %i, %u axis 0 : tensor<3xf32>, tensor<?xi32>, tensor<?xf32>
  %column = lathe.slice %x from [0, 0] to [k, 1] step [1, 1] : tensor<?x2xf32>
  %line = lathe.reshape %column to [k] : tensor<?x1xf32>
  %half = lathe.constant dense<0.5> : tensor<f32>
  %h = lathe.mul %line, %half : tensor<?xf32>, tensor<f32>
  %4 = lathe.std.softmax %h dim 0 : tensor<?xf32>
  %all = lathe.constant dense<[1, 7, 9]> : tensor<3xi64>
  %odds = lathe.constant dense<1> : tensor<i64>
  %less = lathe.min %n, %odds : tensor<i64>
  %5 = lathe.set_dim_size %all dim 0 to %less as o : tensor<3xi64>
  %size = lathe.dim_size %5 dim 0 : tensor<?xi64>
  return %0, %1, %2, %3, %4, %5, %size : tensor<?xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<3xf32>, tensor<?xf32>, tensor<?xi64>, tensor<i64>
}

func.func @branch(%go: tensor<i1>, %n: tensor<i64>) -> (tensor<f32> {lathe.name = "s"}) {
  %s = lathe.if %go -> tensor<f32> {
    %c = lathe.constant dense<[1.0, 3.0, 0x7F800000]> : tensor<3xf32>
    %x = lathe.set_dim_size %c dim 0 to %n as k : tensor<3xf32>
    %r = lathe.reduce sum %x dims [0] : tensor<?xf32>
    lathe.yield %r : tensor<f32>
  } else {
    %zero = lathe.constant dense<0.0> : tensor<f32>
    lathe.yield %zero : tensor<f32>
  }
  return %s : tensor<f32>
}

func.func private @squares(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<f32> {
  %y = lathe.set_dim_size %x dim 0 to %n as k : tensor<4xf32>
  %z = lathe.mul %y, %y : tensor<?xf32>
  %r = lathe.reduce sum %z dims [0] : tensor<?xf32>
  return %r : tensor<f32>
}

func.func @slope(%x: tensor<4xf32>, %n: tensor<i64>) -> (tensor<4xf32> {lathe.name = "g"}) {
  %l, %g = lathe.value_and_grad @squares(%x, %n) wrt [0] : (tensor<4xf32>, tensor<i64>) -> (tensor<f32>, tensor<4xf32>)
  return %g : tensor<4xf32>
}

func.func @named(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %n: tensor<i64>) -> (tensor<?xf32> {lathe.name = "y"}) {
  %y = lathe.set_dim_size %x dim 0 to %n as k : tensor<?xf32>
  return %y : tensor<?xf32>
}
