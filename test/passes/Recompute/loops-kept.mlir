// RUN: lathe-opt %s --split-input-file --lathe-import --lathe-fuse --lathe-recompute=bytes=13000 --verify-diagnostics

// A value that also an op outside of the loop reads is stacked in any case.
// expected-error @+1 {{the workspace of @read takes at least}}
func.func @read(%x: tensor<16x8xf32>, %ws: tensor<16x8x16xf32>) -> (tensor<16x16xf32>, tensor<16xf32>) {
  // expected-note @+1 {{16384 bytes of it hold this value, 'tensor<16x16x16xf32>'}}
  %h, %ps = lathe.scan carry(%h = %x : tensor<16x8xf32>) over(%w = %ws : tensor<16x8x16xf32>) -> (tensor<16x8xf32>, tensor<16x16x16xf32>) {
    %p = lathe.dot_general %h, %w contract [1] x [0] : tensor<16x8xf32>, tensor<8x16xf32>
    %next = lathe.slice %p from [0, 8] to [16, 16] : tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x8xf32>) collect(%p : tensor<16x16xf32>)
  }
  // expected-note @+1 {{1024 bytes of it hold this value, 'tensor<16x16xf32>'}}
  %s = lathe.dot_general %h, %h contract [1] x [1] : tensor<16x8xf32>, tensor<16x8xf32>
  %g = lathe.scan carry(%g = %s : tensor<16x16xf32>) over(%p = %ps : tensor<16x16x16xf32>) reverse -> tensor<16x16xf32> {
    %next = lathe.dot_general %g, %p contract [1] x [0] : tensor<16x16xf32>, tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x16xf32>)
  }
  %sum = lathe.reduce sum %ps dims [0, 1] : tensor<16x16x16xf32>
  return %g, %sum : tensor<16x16xf32>, tensor<16xf32>
}

// -----

// The variable that the steps read has a new value before the second loop.
lathe.variable @w : tensor<16x8x16xf32> init #lathe.zeros
// expected-error @+1 {{the workspace of @variable takes at least}}
func.func @variable(%x: tensor<16x8xf32>, %ws: tensor<16x8x16xf32> {lathe.state = @w}) -> (tensor<16x16xf32>, tensor<16x8x16xf32> {lathe.state = @w}) {
  // expected-note @+1 {{16384 bytes of it hold this value, 'tensor<16x16x16xf32>'}}
  %h, %ps = lathe.scan carry(%h = %x : tensor<16x8xf32>) over(%w = %ws : tensor<16x8x16xf32>) -> (tensor<16x8xf32>, tensor<16x16x16xf32>) {
    %p = lathe.dot_general %h, %w contract [1] x [0] : tensor<16x8xf32>, tensor<8x16xf32>
    %next = lathe.slice %p from [0, 8] to [16, 16] : tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x8xf32>) collect(%p : tensor<16x16xf32>)
  }
  %new = lathe.neg %ws : tensor<16x8x16xf32>
  // expected-note @+1 {{1024 bytes of it hold this value, 'tensor<16x16xf32>'}}
  %s = lathe.dot_general %h, %h contract [1] x [1] : tensor<16x8xf32>, tensor<16x8xf32>
  %g = lathe.scan carry(%g = %s : tensor<16x16xf32>) over(%p = %ps : tensor<16x16x16xf32>) reverse -> tensor<16x16xf32> {
    %next = lathe.dot_general %g, %p contract [1] x [0] : tensor<16x16xf32>, tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x16xf32>)
  }
  return %g, %new : tensor<16x16xf32>, tensor<16x8x16xf32>
}

// -----

// The second loop runs all steps; where the first one does not, it reads zeros.
// expected-error @+1 {{the workspace of @length takes at least}}
func.func @length(%x: tensor<16x8xf32>, %ws: tensor<16x8x16xf32>, %length: tensor<i32>) -> tensor<16x16xf32> {
  // expected-note @+1 {{16384 bytes of it hold this value, 'tensor<16x16x16xf32>'}}
  %h, %ps = lathe.scan carry(%h = %x : tensor<16x8xf32>) over(%w = %ws : tensor<16x8x16xf32>) length %length -> (tensor<16x8xf32>, tensor<16x16x16xf32>) {
    %p = lathe.dot_general %h, %w contract [1] x [0] : tensor<16x8xf32>, tensor<8x16xf32>
    %next = lathe.slice %p from [0, 8] to [16, 16] : tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x8xf32>) collect(%p : tensor<16x16xf32>)
  }
  // expected-note @+1 {{1024 bytes of it hold this value, 'tensor<16x16xf32>'}}
  %s = lathe.dot_general %h, %h contract [1] x [1] : tensor<16x8xf32>, tensor<16x8xf32>
  %g = lathe.scan carry(%g = %s : tensor<16x16xf32>) over(%p = %ps : tensor<16x16x16xf32>) reverse -> tensor<16x16xf32> {
    %next = lathe.dot_general %g, %p contract [1] x [0] : tensor<16x16xf32>, tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x16xf32>)
  }
  return %g : tensor<16x16xf32>
}

// -----

// An external function never runs twice.
// expected-error @+1 {{the workspace of @called takes at least}}
func.func @called(%x: tensor<16x8xf32>, %ws: tensor<16x8x16xf32>) -> tensor<16x16xf32> {
  // expected-note @+1 {{16384 bytes of it hold this value, 'tensor<16x16x16xf32>'}}
  %h, %ps = lathe.scan carry(%h = %x : tensor<16x8xf32>) over(%w = %ws : tensor<16x8x16xf32>) -> (tensor<16x8xf32>, tensor<16x16x16xf32>) {
    %p = lathe.extern @outside(%h, %w) : (tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    %next = lathe.slice %p from [0, 8] to [16, 16] : tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x8xf32>) collect(%p : tensor<16x16xf32>)
  }
  // expected-note @+1 {{1024 bytes of it hold this value, 'tensor<16x16xf32>'}}
  %s = lathe.dot_general %h, %h contract [1] x [1] : tensor<16x8xf32>, tensor<16x8xf32>
  %g = lathe.scan carry(%g = %s : tensor<16x16xf32>) over(%p = %ps : tensor<16x16x16xf32>) reverse -> tensor<16x16xf32> {
    %next = lathe.dot_general %g, %p contract [1] x [0] : tensor<16x16xf32>, tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x16xf32>)
  }
  return %g : tensor<16x16xf32>
}
