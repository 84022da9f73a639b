// RUN: lathe-opt %s --lathe-import --lathe-require-extents --verify-diagnostics

func.func @f(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<f32>, tensor<?xf32>) {
  // expected-error @+1 {{dimension 'K' has no size: no argument or result of @f has it}}
  %k = lathe.iota dim 0 to [K] : f32
  %s = lathe.neg %k : tensor<?xf32>
  %r = lathe.reduce sum %s dims [0] : tensor<?xf32>
  // expected-error @+1 {{dimension 'L' has no size: no argument or result of @f has it}}
  %e = lathe.extern @f_of(%x) dims [N * L] : (tensor<?xf32>) -> tensor<?xf32>
  %t = lathe.reduce sum %e dims [0] : tensor<?xf32>
  %q = lathe.add %r, %t : tensor<f32>
  // One of a result is a field of the entry.
  %m = lathe.iota dim 0 to [M] : f32
  return %q, %m : tensor<f32>, tensor<?xf32>
}
