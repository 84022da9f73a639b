// RUN: lathe-opt %s --lathe-import --split-input-file -verify-diagnostics

func.func @grows(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %y = lathe.scan carry(%h = %x : tensor<?xf32>) trip 4 -> tensor<?xf32> {
    %twice = lathe.concatenate %h, %h dim 0 : tensor<?xf32>, tensor<?xf32>
    // expected-error @+1 {{carry 0 starts as 'tensor<?xf32, #lathe.dims<N>>', but the next step receives 'tensor<?xf32, #lathe.dims<2 * N>>'; a carry must keep its type}}
    lathe.yield carry(%twice : tensor<?xf32>)
  }
  return %y : tensor<?xf32>
}

// -----

func.func @loop(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<M>}, %go: tensor<i1>) -> tensor<?xf32> {
  %z = lathe.while carry(%h = %x : tensor<?xf32>) {
    lathe.condition %go : tensor<i1>
  } do {
    // expected-error @+1 {{carry 0 starts as 'tensor<?xf32, #lathe.dims<N>>', but the next step receives 'tensor<?xf32, #lathe.dims<M>>'}}
    lathe.yield carry(%y : tensor<?xf32>)
  }
  return %z : tensor<?xf32>
}

// -----

func.func @branches(%p: tensor<i1>, %x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?xf32> {
  %z = lathe.if %p -> tensor<?xf32> {
    lathe.yield %x : tensor<?xf32>
  } else {
    // expected-error @+1 {{value 0 is 'tensor<?xf32, #lathe.dims<M>>', but the first branch yields 'tensor<?xf32, #lathe.dims<N>>'}}
    lathe.yield %y : tensor<?xf32>
  }
  return %z : tensor<?xf32>
}

// -----

func.func @lengths(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?xf32> {
  // expected-error @+1 {{operand 0 of 'over' has N slices, but operand 1 has M}}
  %z = lathe.scan over(%a = %x : tensor<?xf32>, %b = %y : tensor<?xf32>) -> tensor<?xf32> {
    %s = lathe.add %a, %b : tensor<f32>
    lathe.yield collect(%s : tensor<f32>)
  }
  return %z : tensor<?xf32>
}

// -----

func.func @trip(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  // expected-error @+1 {{'trip' is 2 * N, but 'over' has N slices}}
  %z = lathe.scan over(%a = %x : tensor<?xf32>) trip 2 * N -> tensor<?xf32> {
    lathe.yield collect(%a : tensor<f32>)
  }
  return %z : tensor<?xf32>
}
