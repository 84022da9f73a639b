// Extents that fit each for itself and not together, by what they multiply beside their names.
// RUN: lathe-opt %s --lathe-infer-dims -split-input-file -verify-diagnostics

func.func @f(%a: tensor<?x4294967296xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?x?xf32> {
  %c = lathe.reshape %a to [N * 4294967296] : tensor<?x4294967296xf32>
  // expected-error @+1 {{a result of type 'tensor<?x?xf32, #lathe.dims<4294967296 * N, 4294967296 * M>>' has more than 2^63 - 1 bytes}}
  %d = lathe.broadcast %c dims [0] to [N * 4294967296, M * 4294967296] : tensor<?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @elements(%a: tensor<?x4294967296xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %c = lathe.reshape %a to [N * 4294967296] : tensor<?x4294967296xf32>
  %d = lathe.broadcast %c dims [0] to [N * 4294967296, 1073741824] : tensor<?xf32>
  // expected-error @-1 {{a result of type}}
  return %c : tensor<?xf32>
}

// -----

// expected-error @+1 {{an argument of type 'tensor<?x?xf32, #lathe.dims<4294967296 * N, 4294967296 * M>>' has more than 2^63 - 1 bytes}}
func.func @argument(%a: tensor<?x?xf32> {lathe.dims = #lathe.dims<4294967296 * N, 4294967296 * M>}) -> tensor<?x?xf32> {
  return %a : tensor<?x?xf32>
}
