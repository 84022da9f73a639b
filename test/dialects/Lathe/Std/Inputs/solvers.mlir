// Each solver with a function of f32 and one of HALF, its value and the gradient of a sum by %a, which is f32 for both. @far
// counts the entries that are farther apart than ROUNDING lets them.

func.func private @root_single(%x: tensor<2xf32>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %square = lathe.mul %x, %x : tensor<2xf32>
  %left = lathe.sub %square, %a : tensor<2xf32>
  return %left : tensor<2xf32>
}
func.func private @ease_single(%x: tensor<2xf32>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %fifth = lathe.constant dense<0.2> : tensor<f32>
  %other = lathe.reverse %x dims [0] : tensor<2xf32>
  %cos = lathe.cos %other : tensor<2xf32>
  %product = lathe.mul %cos, %a : tensor<2xf32>
  %y = lathe.mul %product, %fifth : tensor<2xf32>, tensor<f32>
  return %y : tensor<2xf32>
}
func.func private @swing_single(%y: tensor<2xf32>, %t: tensor<f32>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %fifth = lathe.constant dense<0.2> : tensor<f32>
  %other = lathe.reverse %y dims [0] : tensor<2xf32>
  %product = lathe.mul %other, %a : tensor<2xf32>
  %slow = lathe.mul %product, %fifth : tensor<2xf32>, tensor<f32>
  %cos = lathe.cos %t : tensor<f32>
  %slope = lathe.add %slow, %cos : tensor<2xf32>, tensor<f32>
  return %slope : tensor<2xf32>
}
func.func private @root_half(%x: tensor<2xHALF>, %b: tensor<2xf32>) -> tensor<2xHALF> {
  %a = lathe.convert %b to HALF : tensor<2xf32>
  %square = lathe.mul %x, %x : tensor<2xHALF>
  %left = lathe.sub %square, %a : tensor<2xHALF>
  return %left : tensor<2xHALF>
}
func.func private @ease_half(%x: tensor<2xHALF>, %b: tensor<2xf32>) -> tensor<2xHALF> {
  %a = lathe.convert %b to HALF : tensor<2xf32>
  %fifth = lathe.constant dense<0.2> : tensor<HALF>
  %other = lathe.reverse %x dims [0] : tensor<2xHALF>
  %cos = lathe.cos %other : tensor<2xHALF>
  %product = lathe.mul %cos, %a : tensor<2xHALF>
  %y = lathe.mul %product, %fifth : tensor<2xHALF>, tensor<HALF>
  return %y : tensor<2xHALF>
}
func.func private @swing_half(%y: tensor<2xHALF>, %t: tensor<HALF>, %b: tensor<2xf32>) -> tensor<2xHALF> {
  %a = lathe.convert %b to HALF : tensor<2xf32>
  %fifth = lathe.constant dense<0.2> : tensor<HALF>
  %other = lathe.reverse %y dims [0] : tensor<2xHALF>
  %product = lathe.mul %other, %a : tensor<2xHALF>
  %slow = lathe.mul %product, %fifth : tensor<2xHALF>, tensor<HALF>
  %cos = lathe.cos %t : tensor<HALF>
  %slope = lathe.add %slow, %cos : tensor<2xHALF>, tensor<HALF>
  return %slope : tensor<2xHALF>
}

func.func private @newton_single(%a: tensor<2xf32>) -> (tensor<2xf32>) {
  %x = lathe.constant dense<[1.0, 1.5]> : tensor<2xf32>
  %r, %n = lathe.std.newton %x with %a function @root_single : tensor<2xf32>, tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @newton_sum_single(%a: tensor<2xf32>) -> tensor<f32> {
  %r = call @newton_single(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %s = lathe.reduce sum %r dims [0] : tensor<2xf32>
  return %s : tensor<f32>
}

func.func private @newton_half(%a: tensor<2xf32>) -> (tensor<2xf32>) {
  %x = lathe.constant dense<[1.0, 1.5]> : tensor<2xHALF>
  %r, %n = lathe.std.newton %x with %a function @root_half : tensor<2xHALF>, tensor<2xf32>
  %wide = lathe.convert %r to f32 : tensor<2xHALF>
  return %wide : tensor<2xf32>
}
func.func private @newton_sum_half(%a: tensor<2xf32>) -> tensor<f32> {
  %r = call @newton_half(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %s = lathe.reduce sum %r dims [0] : tensor<2xf32>
  return %s : tensor<f32>
}

func.func private @dense_single(%a: tensor<2xf32>) -> (tensor<2xf32>) {
  %x = lathe.constant dense<[1.0, 1.5]> : tensor<2xf32>
  %r, %n = lathe.std.fixed_point %x with %a function @ease_single tolerance 1.0e-2 : tensor<2xf32>, tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @dense_sum_single(%a: tensor<2xf32>) -> tensor<f32> {
  %r = call @dense_single(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %s = lathe.reduce sum %r dims [0] : tensor<2xf32>
  return %s : tensor<f32>
}

func.func private @dense_half(%a: tensor<2xf32>) -> (tensor<2xf32>) {
  %x = lathe.constant dense<[1.0, 1.5]> : tensor<2xHALF>
  %r, %n = lathe.std.fixed_point %x with %a function @ease_half tolerance 1.0e-2 : tensor<2xHALF>, tensor<2xf32>
  %wide = lathe.convert %r to f32 : tensor<2xHALF>
  return %wide : tensor<2xf32>
}
func.func private @dense_sum_half(%a: tensor<2xf32>) -> tensor<f32> {
  %r = call @dense_half(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %s = lathe.reduce sum %r dims [0] : tensor<2xf32>
  return %s : tensor<f32>
}

func.func private @iterated_single(%a: tensor<2xf32>) -> (tensor<2xf32>) {
  %x = lathe.constant dense<[1.0, 1.5]> : tensor<2xf32>
  %r, %n = lathe.std.fixed_point %x with %a function @ease_single tolerance 1.0e-2 implicit iteration bound 20 : tensor<2xf32>, tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @iterated_sum_single(%a: tensor<2xf32>) -> tensor<f32> {
  %r = call @iterated_single(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %s = lathe.reduce sum %r dims [0] : tensor<2xf32>
  return %s : tensor<f32>
}

func.func private @iterated_half(%a: tensor<2xf32>) -> (tensor<2xf32>) {
  %x = lathe.constant dense<[1.0, 1.5]> : tensor<2xHALF>
  %r, %n = lathe.std.fixed_point %x with %a function @ease_half tolerance 1.0e-2 implicit iteration bound 20 : tensor<2xHALF>, tensor<2xf32>
  %wide = lathe.convert %r to f32 : tensor<2xHALF>
  return %wide : tensor<2xf32>
}
func.func private @iterated_sum_half(%a: tensor<2xf32>) -> tensor<f32> {
  %r = call @iterated_half(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %s = lathe.reduce sum %r dims [0] : tensor<2xf32>
  return %s : tensor<f32>
}

func.func private @equal_single(%a: tensor<2xf32>) -> (tensor<2xf32>) {
  %x = lathe.constant dense<[1.0, 1.5]> : tensor<2xf32>
  %t0 = lathe.constant dense<0.0> : tensor<f32>
  %t1 = lathe.constant dense<1.0> : tensor<f32>
  %r, %path = lathe.std.dopri5 %x, %t0, %t1 with %a function @swing_single steps 4 : tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @equal_sum_single(%a: tensor<2xf32>) -> tensor<f32> {
  %r = call @equal_single(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %s = lathe.reduce sum %r dims [0] : tensor<2xf32>
  return %s : tensor<f32>
}

func.func private @equal_half(%a: tensor<2xf32>) -> (tensor<2xf32>) {
  %x = lathe.constant dense<[1.0, 1.5]> : tensor<2xHALF>
  %t0 = lathe.constant dense<0.0> : tensor<HALF>
  %t1 = lathe.constant dense<1.0> : tensor<HALF>
  %r, %path = lathe.std.dopri5 %x, %t0, %t1 with %a function @swing_half steps 4 : tensor<2xHALF>, tensor<HALF>, tensor<HALF>, tensor<2xf32>
  %wide = lathe.convert %r to f32 : tensor<2xHALF>
  return %wide : tensor<2xf32>
}
func.func private @equal_sum_half(%a: tensor<2xf32>) -> tensor<f32> {
  %r = call @equal_half(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %s = lathe.reduce sum %r dims [0] : tensor<2xf32>
  return %s : tensor<f32>
}

func.func private @adaptive_single(%a: tensor<2xf32>) -> (tensor<2xf32>) {
  %x = lathe.constant dense<[1.0, 1.5]> : tensor<2xf32>
  %t0 = lathe.constant dense<0.0> : tensor<f32>
  %t1 = lathe.constant dense<1.0> : tensor<f32>
  %r, %n = lathe.std.dopri5_adaptive %x, %t0, %t1 with %a function @swing_single relative 1.0e-2 absolute 1.0e-2 first 0.25 : tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @adaptive_sum_single(%a: tensor<2xf32>) -> tensor<f32> {
  %r = call @adaptive_single(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %s = lathe.reduce sum %r dims [0] : tensor<2xf32>
  return %s : tensor<f32>
}

func.func private @adaptive_half(%a: tensor<2xf32>) -> (tensor<2xf32>) {
  %x = lathe.constant dense<[1.0, 1.5]> : tensor<2xHALF>
  %t0 = lathe.constant dense<0.0> : tensor<HALF>
  %t1 = lathe.constant dense<1.0> : tensor<HALF>
  %r, %n = lathe.std.dopri5_adaptive %x, %t0, %t1 with %a function @swing_half relative 1.0e-2 absolute 1.0e-2 first 0.25 : tensor<2xHALF>, tensor<HALF>, tensor<HALF>, tensor<2xf32>
  %wide = lathe.convert %r to f32 : tensor<2xHALF>
  return %wide : tensor<2xf32>
}
func.func private @adaptive_sum_half(%a: tensor<2xf32>) -> tensor<f32> {
  %r = call @adaptive_half(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %s = lathe.reduce sum %r dims [0] : tensor<2xf32>
  return %s : tensor<f32>
}

func.func private @count(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<i32> {
  %one = lathe.constant dense<1.0> : tensor<f32>
  %share = lathe.constant dense<ROUNDING> : tensor<f32>
  %difference = lathe.sub %a, %b : tensor<2xf32>
  %distance = lathe.abs %difference : tensor<2xf32>
  %size = lathe.abs %b : tensor<2xf32>
  %above = lathe.add %size, %one : tensor<2xf32>, tensor<f32>
  %allowed = lathe.mul %above, %share : tensor<2xf32>, tensor<f32>
  %near = lathe.compare le %distance, %allowed : tensor<2xf32>
  %far = lathe.not %near : tensor<2xi1>
  %each = lathe.convert %far to i32 : tensor<2xi1>
  %all = lathe.reduce sum %each dims [0] : tensor<2xi32>
  return %all : tensor<i32>
}

func.func @far() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %a = lathe.constant dense<[2.0, 5.0]> : tensor<2xf32>
  %newton_single = call @newton_single(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %newton_v_single, %newton_d_single = lathe.value_and_grad @newton_sum_single(%a) wrt [0] : (tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  %newton_half = call @newton_half(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %newton_v_half, %newton_d_half = lathe.value_and_grad @newton_sum_half(%a) wrt [0] : (tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  %newton = call @count(%newton_half, %newton_single) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i32>
  %newton_gradient = call @count(%newton_d_half, %newton_d_single) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i32>
  %dense_single = call @dense_single(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %dense_v_single, %dense_d_single = lathe.value_and_grad @dense_sum_single(%a) wrt [0] : (tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  %dense_half = call @dense_half(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %dense_v_half, %dense_d_half = lathe.value_and_grad @dense_sum_half(%a) wrt [0] : (tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  %dense = call @count(%dense_half, %dense_single) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i32>
  %dense_gradient = call @count(%dense_d_half, %dense_d_single) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i32>
  %iterated_single = call @iterated_single(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %iterated_v_single, %iterated_d_single = lathe.value_and_grad @iterated_sum_single(%a) wrt [0] : (tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  %iterated_half = call @iterated_half(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %iterated_v_half, %iterated_d_half = lathe.value_and_grad @iterated_sum_half(%a) wrt [0] : (tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  %iterated = call @count(%iterated_half, %iterated_single) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i32>
  %iterated_gradient = call @count(%iterated_d_half, %iterated_d_single) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i32>
  %equal_single = call @equal_single(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %equal_v_single, %equal_d_single = lathe.value_and_grad @equal_sum_single(%a) wrt [0] : (tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  %equal_half = call @equal_half(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %equal_v_half, %equal_d_half = lathe.value_and_grad @equal_sum_half(%a) wrt [0] : (tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  %equal = call @count(%equal_half, %equal_single) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i32>
  %equal_gradient = call @count(%equal_d_half, %equal_d_single) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i32>
  %adaptive_single = call @adaptive_single(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %adaptive_v_single, %adaptive_d_single = lathe.value_and_grad @adaptive_sum_single(%a) wrt [0] : (tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  %adaptive_half = call @adaptive_half(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %adaptive_v_half, %adaptive_d_half = lathe.value_and_grad @adaptive_sum_half(%a) wrt [0] : (tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
  %adaptive = call @count(%adaptive_half, %adaptive_single) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i32>
  %adaptive_gradient = call @count(%adaptive_d_half, %adaptive_d_single) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i32>
  return %newton, %newton_gradient, %dense, %dense_gradient, %iterated, %iterated_gradient, %equal, %equal_gradient, %adaptive, %adaptive_gradient : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
