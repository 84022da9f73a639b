// RUN: lathe-opt %s --lathe-infer-dims --split-input-file -verify-diagnostics

// expected-error @+1 {{dimension 1 of argument 0 has no name; write {lathe.dims = #lathe.dims<N>} after its type, with a name for each '?'}}
func.func @unnamed(%x: tensor<4x?xf32>) {
  return
}

// -----

// All of them are told.
// expected-error @+2 {{dimension 0 of argument 'image' has no name}}
// expected-error @+1 {{dimension 0 of argument 1 has no name}}
func.func @several(%x: tensor<?xf32> {lathe.name = "image"}, %y: tensor<?xf32>) {
  return
}

// -----

// expected-error @+1 {{argument 0 has the dimensions #lathe.dims<N> in its type and lathe.dims = #lathe.dims<M>}}
func.func @both(%x: tensor<?xf32, #lathe.dims<N>> {lathe.dims = #lathe.dims<M>}) {
  return
}

// -----

// Types that agree while dimensions have no names are checked again with names; an op after a faulty one is checked too.
func.func @mismatch(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) {
  // expected-error @+1 {{lathe.add: operand 'lhs' has shape [N], operand 'rhs' [M]; they do not broadcast}}
  %0 = lathe.add %x, %y : tensor<?xf32>
  %1 = lathe.exp %0 : tensor<?xf32>
  // expected-error @+1 {{lathe.reshape: operand [N] has N elements, result [M] has M}}
  %2 = lathe.reshape %x to [M] : tensor<?xf32>
  return
}

// Nor does one function keep the others from being checked.
func.func @next(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) {
  // expected-error @+1 {{lathe.mul: operand 'lhs' has shape [N], operand 'rhs' [M]; they do not broadcast}}
  %0 = lathe.mul %x, %y : tensor<?xf32>
  return
}

// -----

// expected-note @+1 {{@f is declared here}}
func.func private @f(%x: tensor<?xf32> {lathe.dims = #lathe.dims<K>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<K>}) {
  return
}
func.func @conflict(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) {
  // expected-error @+1 {{dimension 0 of operand 1 is M, @f names it K, which is N here}}
  func.call @f(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> ()
  return
}

// -----

// expected-note @+1 {{@loss is declared here}}
func.func @loss(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) {
  return
}
func.func @public(%x: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) {
  // expected-error @+1 {{operand 0 is 'tensor<?xf32, #lathe.dims<M>>', argument 0 of @loss is 'tensor<?xf32, #lathe.dims<N>>'; a public function names its own dimensions, and a private one inherits those of its call}}
  func.call @loss(%x) : (tensor<?xf32>) -> ()
  return
}

// -----

// expected-note @+1 {{@again is declared here}}
func.func private @again(%x: tensor<?xf32>) {
  // expected-error @+1 {{@again calls itself through this op; recursion is not supported}}
  func.call @again(%x) : (tensor<?xf32>) -> ()
  return
}
func.func @recursion(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) {
  func.call @again(%x) : (tensor<?xf32>) -> ()
  return
}

// -----

func.func @declared(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32, #lathe.dims<M>> {
  %i = lathe.iota dim 0 to [M] : f32 -> tensor<?xf32, #lathe.dims<M>>
  %0 = lathe.concatenate %i, %i dim 0 : tensor<?xf32, #lathe.dims<M>>, tensor<?xf32, #lathe.dims<M>>
  %1 = lathe.slice %0 from [0] to [2 * M] : tensor<?xf32, #lathe.dims<2 * M>>
  %2 = lathe.add %x, %i : tensor<?xf32>, tensor<?xf32, #lathe.dims<M>> // expected-error {{lathe.add: operand 'lhs' has shape [N], operand 'rhs' [M]}}
  return %i : tensor<?xf32, #lathe.dims<M>>
}

// -----

func.func private @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = lathe.add %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @two(%x: tensor<?x2xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<2x?xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?x2xf32> {
  // expected-error @+1 {{the batch is N long, dimension 1 of operand 1 is M}}
  %0 = lathe.vmap @f(%x, %y) in [0, 1] : (tensor<?x2xf32>, tensor<2x?xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
