// Examples of docs/ops.md that do not stand in an op's own description. Each follows a line `// lathe.NAME`.

// -----
// lathe.select
lathe.select %p, %x, %y : tensor<2x4xi1>, tensor<2x4xf32>, tensor<4xf32>
// -----
// lathe.transpose
lathe.transpose %x [1, 0] : tensor<?x16xf32>
// -----
// lathe.reverse
lathe.reverse %x dims [1] : tensor<?x16xf32>
// -----
// lathe.conv
lathe.conv %x, %w stride [2, 2] pad [[0, 1], [1, 1]] dilation [2, 2] groups 4 : tensor<?x16x16x8xf32>, tensor<3x3x2x16xf32>
// -----
// lathe.conv_input_grad
lathe.conv_input_grad %dy, %w input [N] stride [1] pad [[1, 1]] : tensor<8x?x4xf32>, tensor<3x2x4xf32>
// -----
// lathe.conv_filter_grad
lathe.conv_filter_grad %x, %dy filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x16x16x2xf32>, tensor<?x16x16x4xf32>
// -----
// lathe.extern
func.func @solve(%a: tensor<?x3x3xf64> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x3xf64> {lathe.dims = #lathe.dims<N>}) -> tensor<?x3xf64> {
  %x, %steps = lathe.extern @conjugate_gradients(%a, %b) dims [N, N] gradient [@conjugate_gradients_back]
      : (tensor<?x3x3xf64>, tensor<?x3xf64>) -> (tensor<?x3xf64>, tensor<?xi32>)
  return %x : tensor<?x3xf64>
}
// -----
// lathe.if
func.func @step(%x: tensor<4xf32>, %limit: tensor<f32>) -> tensor<4xf32> {
  %largest = lathe.reduce max %x dims [0] : tensor<4xf32>
  %p = lathe.compare gt %largest, %limit : tensor<f32>
  %y = lathe.if %p -> tensor<4xf32> {
    %shrunk = lathe.div %x, %largest : tensor<4xf32>, tensor<f32>
    lathe.yield %shrunk : tensor<4xf32>
  } else {
    lathe.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
// -----
// lathe.scan
func.func @cell(%xs: tensor<?x16x4xf32> {lathe.dims = #lathe.dims<N>}, %h0: tensor<16x8xf32>, %w: tensor<4x8xf32>, %u: tensor<8x8xf32>,
                %length: tensor<i32>) -> (tensor<16x8xf32>, tensor<?x16x8xf32>) {
  %h, %hs = lathe.scan carry(%h = %h0 : tensor<16x8xf32>) over(%x = %xs : tensor<?x16x4xf32>) length %length
      -> (tensor<16x8xf32>, tensor<?x16x8xf32>) {
    %from_x = lathe.dot_general %x, %w contract [1] x [0] : tensor<16x4xf32>, tensor<4x8xf32>
    %from_h = lathe.dot_general %h, %u contract [1] x [0] : tensor<16x8xf32>, tensor<8x8xf32>
    %sum = lathe.add %from_x, %from_h : tensor<16x8xf32>
    %next = lathe.tanh %sum : tensor<16x8xf32>
    lathe.yield carry(%next : tensor<16x8xf32>) collect(%next : tensor<16x8xf32>)
  }
  return %h, %hs : tensor<16x8xf32>, tensor<?x16x8xf32>
}
// -----
// lathe.while
func.func @root(%a: tensor<f32>) -> tensor<f32> {
  %x = lathe.while carry(%x = %a : tensor<f32>) bound 100 {
    %square = lathe.mul %x, %x : tensor<f32>
    %off = lathe.sub %square, %a : tensor<f32>
    %distance = lathe.abs %off : tensor<f32>
    %close = lathe.constant dense<1.0e-6> : tensor<f32>
    %allowed = lathe.mul %close, %a : tensor<f32>
    %go = lathe.compare gt %distance, %allowed : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %quotient = lathe.div %a, %x : tensor<f32>
    %sum = lathe.add %x, %quotient : tensor<f32>
    %half = lathe.constant dense<0.5> : tensor<f32>
    %next = lathe.mul %sum, %half : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  return %x : tensor<f32>
}
// -----
// lathe.checkpoint
func.func @block(%x: tensor<?x64xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  %y = lathe.checkpoint -> tensor<?x64xf32> {
    %wide = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x64xf32>, tensor<64x64xf32>
    %active = lathe.tanh %wide : tensor<?x64xf32>
    %sum = lathe.add %x, %active : tensor<?x64xf32>
    lathe.yield %sum : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}
// -----
// lathe.variable
lathe.variable @conv1.w : tensor<3x3x1x16xf32> init #lathe.he_normal
lathe.variable @step : tensor<i64> init #lathe.zeros
// -----
// lathe.dim
lathe.dim @N, 8 to 4096, multiple of 8
func.func @double(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %y = lathe.add %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
// -----
// lathe.read
lathe.variable @w : tensor<4xf32> init #lathe.zeros
func.func @weights() -> tensor<4xf32> {
  %w = lathe.read @w : tensor<4xf32>
  return %w : tensor<4xf32>
}
// -----
// lathe.write
lathe.variable @total : tensor<f32> init #lathe.zeros
func.func @add_up(%x: tensor<f32>) {
  %old = lathe.read @total : tensor<f32>
  %new = lathe.add %old, %x : tensor<f32>
  lathe.write @total, %new : tensor<f32>
  return
}
// -----
// lathe.minimize
lathe.variable @w : tensor<4xf32> init #lathe.zeros
func.func private @loss(%x: tensor<4xf32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<4xf32>
  %difference = lathe.sub %w, %x : tensor<4xf32>
  %square = lathe.mul %difference, %difference : tensor<4xf32>
  %loss = lathe.reduce sum %square dims [0] : tensor<4xf32>
  return %loss : tensor<f32>
}
func.func @step(%x: tensor<4xf32>) -> tensor<f32> {
  %loss = lathe.minimize @loss(%x) with adam<learning_rate = 1.0e-3> : (tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
// -----
// lathe.value_and_grad
func.func private @product(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %c = lathe.mul %a, %b : tensor<f32>
  return %c : tensor<f32>
}
func.func @slopes(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %c, %da, %db = lathe.value_and_grad @product(%a, %b) wrt [0, 1]
      : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %c, %da, %db : tensor<f32>, tensor<f32>, tensor<f32>
}
// -----
// lathe.jvp
func.func private @squares(%x: tensor<4xf32>) -> tensor<f32> {
  %square = lathe.mul %x, %x : tensor<4xf32>
  %sum = lathe.reduce sum %square dims [0] : tensor<4xf32>
  return %sum : tensor<f32>
}
func.func @along(%x: tensor<4xf32>, %direction: tensor<4xf32>) -> (tensor<f32>, tensor<f32>) {
  %y, %slope = lathe.jvp @squares(%x) tangents(%direction) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<f32>, tensor<f32>)
  return %y, %slope : tensor<f32>, tensor<f32>
}
// -----
// lathe.vjp
func.func private @waves(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = lathe.sin %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @back(%x: tensor<4xf32>, %dy: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y, %dx = lathe.vjp @waves(%x) cotangents(%dy) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %y, %dx : tensor<4xf32>, tensor<4xf32>
}
// -----
// lathe.check
lathe.check finite %y from(%x) of "lathe.exp" : tensor<4xf32>, tensor<4xf32>
// -----
// lathe.strips
// What becomes one: the weights of a few queries at a time are in scratch memory.
func.func @mean(%q: tensor<?x8xf32> {lathe.dims = #lathe.dims<N>}, %k: tensor<8x64xf32>, %v: tensor<64x4xf32>) -> tensor<?x4xf32> {
  %scores = lathe.dot_general %q, %k contract [1] x [0] : tensor<?x8xf32>, tensor<8x64xf32>
  %weights = lathe.exp %scores : tensor<?x64xf32>
  %mean = lathe.dot_general %weights, %v contract [1] x [0] : tensor<?x64xf32>, tensor<64x4xf32>
  return %mean : tensor<?x4xf32>
}
// -----
// lathe.all_reduce
lathe.dim @data, 1 to 64
func.func @all_reduce(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = lathe.all_reduce sum %x over data : tensor<4xf32>
  return %y : tensor<4xf32>
}
// -----
// lathe.reduce_scatter
lathe.dim @data, 1 to 64
func.func @reduce_scatter(%x: tensor<?x16xf32> {lathe.dims = #lathe.dims<2 * data>}) -> tensor<?x16xf32> {
  %y = lathe.reduce_scatter sum %x dim 0 over data : tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
// -----
// lathe.all_gather
lathe.dim @data, 1 to 64
func.func @all_gather(%x: tensor<?x16xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x16xf32> {
  %y = lathe.all_gather %x dim 0 over data : tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
// -----
// lathe.all_to_all
lathe.dim @data, 1 to 64
func.func @all_to_all(%x: tensor<?x16xf32> {lathe.dims = #lathe.dims<2 * data>}) -> tensor<?x?xf32> {
  %y = lathe.all_to_all %x split 0 concat 1 over data : tensor<?x16xf32>
  return %y : tensor<?x?xf32>
}
// -----
// lathe.collective_broadcast
lathe.dim @data, 1 to 64
func.func @collective_broadcast(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = lathe.collective_broadcast %x from 0 over data : tensor<4xf32>
  return %y : tensor<4xf32>
}
// -----
// lathe.collective_permute
lathe.dim @stage, 1 to 64
func.func @collective_permute(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = lathe.collective_permute %x shift 1 over stage : tensor<4xf32>
  return %y : tensor<4xf32>
}
// -----
// lathe.axis_index
lathe.dim @data, 1 to 64
func.func @axis_index() -> tensor<i64> {
  %y = lathe.axis_index over data : tensor<i64>
  return %y : tensor<i64>
}
// -----
// lathe.vmap
// A Jacobian: the derivative along each row of an identity matrix at once, a row of the result for each.
func.func private @map(%x: tensor<3xf32>) -> tensor<2xf32> {
  %a = lathe.slice %x from [0] to [2] : tensor<3xf32>
  %b = lathe.slice %x from [1] to [3] : tensor<3xf32>
  %y = lathe.mul %a, %b : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @along(%x: tensor<3xf32>, %t: tensor<3xf32>) -> tensor<2xf32> {
  %y, %dy = lathe.jvp @map(%x) tangents(%t) wrt [0] : (tensor<3xf32>), (tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %dy : tensor<2xf32>
}
func.func @jacobian(%x: tensor<3xf32>) -> tensor<3x2xf32> {
  %i = lathe.iota dim 0 to [3, 3] : i32
  %j = lathe.iota dim 1 to [3, 3] : i32
  %p = lathe.compare eq %i, %j : tensor<3x3xi32>
  %e = lathe.convert %p to f32 : tensor<3x3xi1>
  %r = lathe.vmap @along(%x, %e) in [none, 0] : (tensor<3xf32>, tensor<3x3xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
