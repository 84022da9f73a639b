// RUN: lathe-run %s main --check | FileCheck %s
// The first counter of threefry2x32 with a key of zeros gives 6b200159 99ba4efe, as Random123's tests of known answers say, and the
// largest counter with the largest key 1cb996fc bb002be7.

// CHECK: result0: u64[2] {{.*}}: 0 1
// CHECK: result1: u32[2] {{.*}}: 1797259609 2579123966
// CHECK: result2: u64[1] {{.*}}: 13474818356711888636
// Of an odd number of words the last one is dropped.
// CHECK: result3: u32[1] {{.*}}: 1797259609
// Philox4x32-10 with zeros gives 6627e8d5 e169c58d bc57ac4c 9b00dbd8, and with the largest counter and key 408f276d 41c83b0e a20bc7c6
// 6d5451fd, after which the counter is 0 again. Numbers of 64 bits have their low words first, numbers of 8 bits are the lowest of a
// word, and the key is the high half of the counter that a state of two words does not have.
// CHECK: result4: u64[2] {{.*}}: 0 2
// CHECK: result5: u32[5] {{.*}}: 1713891541 3781805453 3159862348 2600524760
// CHECK: result6: u64[3] {{.*}}: 18446744073709551615 0 0
// CHECK: result7: u64[2] {{.*}}: 4740103540206151533 7878011797965096902
// CHECK: result8: u8[2] {{.*}}: 213 141
// CHECK: result9 = true
// Lathe's own numbers from 2 up to 3, other ones in each op.
// CHECK: result10 = true
func.func public @main() -> (tensor<2xui64>, tensor<2xui32>, tensor<1xui64>, tensor<1xui32>, tensor<2xui64>, tensor<5xui32>, tensor<3xui64>,
    tensor<2xui64>, tensor<2xui8>, tensor<i1>, tensor<i1>) {
  %zeros = stablehlo.constant dense<0> : tensor<2xui64>
  %ones = stablehlo.constant dense<18446744073709551615> : tensor<2xui64>
  %0, %1 = stablehlo.rng_bit_generator %zeros, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  %2, %3 = stablehlo.rng_bit_generator %ones, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
  %4, %5 = stablehlo.rng_bit_generator %zeros, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui32>)
  %6, %7 = stablehlo.rng_bit_generator %zeros, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  %all = stablehlo.constant dense<18446744073709551615> : tensor<3xui64>
  %8, %9 = stablehlo.rng_bit_generator %all, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2xui64>)
  %10, %11 = stablehlo.rng_bit_generator %zeros, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui8>)
  %key = stablehlo.constant dense<[5, 7]> : tensor<2xui64>
  %whole = stablehlo.constant dense<[5, 7, 5]> : tensor<3xui64>
  %12, %13 = stablehlo.rng_bit_generator %key, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
  %14, %15 = stablehlo.rng_bit_generator %whole, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<1xui64>)
  %same = stablehlo.compare EQ, %13, %15 : (tensor<1xui64>, tensor<1xui64>) -> tensor<1xi1>
  %isSame = stablehlo.reshape %same : (tensor<1xi1>) -> tensor<i1>
  %shape = stablehlo.constant dense<1000> : tensor<1xi64>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %three = stablehlo.constant dense<3.0> : tensor<f32>
  %many = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<f32>) -> tensor<1000xf32>
  %most = stablehlo.broadcast_in_dim %three, dims = [] : (tensor<f32>) -> tensor<1000xf32>
  %a = stablehlo.rng %two, %three, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<1000xf32>
  %b = stablehlo.rng %two, %three, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<1000xf32>
  %low = stablehlo.compare GE, %a, %many : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xi1>
  %high = stablehlo.compare LT, %a, %most : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xi1>
  %other = stablehlo.compare NE, %a, %b : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xi1>
  %fits = stablehlo.and %low, %high : tensor<1000xi1>
  %good = stablehlo.and %fits, %other : tensor<1000xi1>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %isGood = stablehlo.reduce(%good init: %true) applies stablehlo.and across dimensions = [0] : (tensor<1000xi1>, tensor<i1>) -> tensor<i1>
  return %0, %1, %3, %5, %6, %7, %8, %9, %11, %isSame, %isGood : tensor<2xui64>, tensor<2xui32>, tensor<1xui64>, tensor<1xui32>, tensor<2xui64>,
      tensor<5xui32>, tensor<3xui64>, tensor<2xui64>, tensor<2xui8>, tensor<i1>, tensor<i1>
}
