// RUN: lathe-opt %s --split-input-file --lathe-import --lathe-fuse --lathe-recompute=bytes=33024 --verify-diagnostics

// The exponential is read again at the end, but from the old value of a variable that is updated before. It stays, so that three
// values are live at once.
lathe.variable @w : tensor<64x64xf32> init #lathe.zeros
// expected-error @+1 {{the workspace of @variable takes at least 49152 bytes, but --mem-budget allows 33024; use --mem-budget=49152 or more, or a smaller batch}}
func.func @variable(%y: tensor<64x64xf32>, %w: tensor<64x64xf32> {lathe.state = @w}) -> (tensor<64x64xf32>, tensor<64x64xf32> {lathe.state = @w}) {
  // expected-note @+1 {{16384 bytes of it hold this value, 'tensor<64x64xf32>', while the op of line 14 runs}}
  %e = lathe.exp %w : tensor<64x64xf32>
  // expected-note @+1 {{16384 bytes of it hold this value, 'tensor<64x64xf32>', while the op of line 14 runs}}
  %p = lathe.dot_general %e, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %new = lathe.dot_general %y, %w contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  // expected-note @+1 {{16384 bytes of it hold this value, 'tensor<64x64xf32>', while the op of line 14 runs}}
  %q = lathe.dot_general %p, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %r = lathe.dot_general %e, %q contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  return %r, %new : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// An external function may fail and may have effects: it never runs twice.
// expected-error @+1 {{the workspace of @called takes at least 49152 bytes}}
func.func @called(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-note @+1 {{hold this value}}
  %e = lathe.extern @outside(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-note @+1 {{hold this value}}
  %p = lathe.dot_general %e, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  // expected-note @+1 {{hold this value}}
  %q = lathe.dot_general %p, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %r = lathe.dot_general %e, %q contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
