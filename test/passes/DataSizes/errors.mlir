// Ops that cannot be kept to what counts, and names that are taken: at the op, with the reason.
// RUN: lathe-opt %s --lathe-import -split-input-file -verify-diagnostics

func.func @set_dim_size_c1(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  // expected-error@+1 {{lathe.set_dim_size: 'dim' is 1, but the operand has rank 1}}
  %y = lathe.set_dim_size %x dim 1 to %n as k : tensor<4xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @set_dim_size_c2(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  // expected-error@+1 {{'' is not a valid dimension name}}
  %y = lathe.set_dim_size %x dim 0 to %n as "" : tensor<4xf32>
  return %y : tensor<?xf32>
}

// -----

// expected-note@+1 {{an argument uses the name here}}
func.func @set_dim_size_c3(%x: tensor<?xf32> {lathe.dims = #lathe.dims<k>}, %n: tensor<i64>) -> tensor<?xf32> {
  // expected-error@+1 {{the name 'k' already names another dimension; use a unique name}}
  %y = lathe.set_dim_size %x dim 0 to %n as k : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @twice(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  // expected-note@+1 {{the name is also used here; a function that is called twice defines it twice}}
  %y = lathe.set_dim_size %x dim 0 to %n as k : tensor<4xf32>
  // expected-error@+1 {{the name 'k' already names another dimension; use a unique name}}
  %z = lathe.set_dim_size %x dim 0 to %n as k : tensor<4xf32>
  return %z : tensor<?xf32>
}

// -----

func.func @set_dim_size_c4(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  %y = lathe.set_dim_size %x dim 0 to %n as k : tensor<4xf32>
  // expected-error@+1 {{the size of a dimension depends on data, and lathe.reverse over it is not supported}}
  %z = lathe.reverse %y dims [0] : tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

func.func @window(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  %y = lathe.set_dim_size %x dim 0 to %n as k : tensor<4xf32>
  // expected-error@+1 {{and a window over it is not supported}}
  %z = lathe.reduce_window max %y window [2] stride [1] pad [[0, 0]] : tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

func.func @apart(%x: tensor<2x4xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  %y = lathe.set_dim_size %x dim 1 to %n as k : tensor<2x4xf32>
  // expected-error@+1 {{and a reshape that takes it apart, to [2 * k], is not supported}}
  %z = lathe.reshape %y to [2 * k] : tensor<2x?xf32>
  return %z : tensor<?xf32>
}

// -----

func.func @part(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  %y = lathe.set_dim_size %x dim 0 to %n as k : tensor<4xf32>
  %z = lathe.set_dim_size %x dim 0 to %n as j : tensor<4xf32>
  // expected-error@+1 {{and a slice of [k] from j to 2 * j is not supported}}
  %s = lathe.slice %y from [j] to [2 * j] step [1] : tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// There are the most of 4 - k and of -k modulo 2 elements where k is less than 4.
func.func @falls(%x: tensor<4xf32>, %n: tensor<i64>) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %y = lathe.set_dim_size %x dim 0 to %n as k : tensor<4xf32>
  // expected-error@+1 {{and a size of -1 * k + 4 elements, which may be larger where that is smaller, is not supported}}
  %s = lathe.broadcast %zero dims [] to [-1 * k + 4] : tensor<f32>
  // expected-error@+1 {{and a size of 2 * ceil_div(k, 2) - 1 * k elements, which may be larger where that is smaller, is not supported}}
  %t = lathe.broadcast %zero dims [] to [-1 * k + 2 * ceil_div(k, 2)] : tensor<f32>
  %u = lathe.concatenate %y, %y dim 0 : tensor<?xf32>, tensor<?xf32>
  return %u, %y : tensor<?xf32>, tensor<?xf32>
}

// -----

func.func @before(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %y = lathe.set_dim_size %x dim 0 to %n as k : tensor<4xf32>
  // expected-error@+1 {{and k elements of padding in front is not supported}}
  %s = lathe.pad %y, %zero low [k] high [0] interior [0] : tensor<?xf32>, tensor<f32>
  return %s : tensor<?xf32>
}

// -----

func.func @unlike(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  %y = lathe.set_dim_size %x dim 0 to %n as k : tensor<4xf32>
  %z = lathe.set_dim_size %x dim 0 to %n as l : tensor<4xf32>
  // expected-error@+1 {{k}}
  %s = lathe.add %y, %z : tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

func.func @leaves(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  // expected-error@+1 {{the size of dimension 'k' is not known here}}
  %s = lathe.checkpoint -> tensor<?xf32> {
    // expected-note@+1 {{it is known only in the branch, loop or function that defines it}}
    %y = lathe.set_dim_size %x dim 0 to %n as k : tensor<4xf32>
    lathe.yield %y : tensor<?xf32>
  }
  return %s : tensor<?xf32>
}

// -----

// expected-error@+1 {{result 0: 'lathe.counts' has "n", expected the name of a result of type tensor<i64>, or ""}}
func.func @counts(%x: tensor<4xf32>) -> (tensor<4xf32> {lathe.counts = ["n"]}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{result 0: 'lathe.counts' must be a list with a name, or "", for each dimension of 'tensor<4xf32>'}}
func.func @counts_of_all(%x: tensor<4xf32>) -> (tensor<4xf32> {lathe.counts = []}) {
  return %x : tensor<4xf32>
}
