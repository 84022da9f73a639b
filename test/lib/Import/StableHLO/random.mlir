// RUN: lathe-run %s main --check | FileCheck %s
// The first counter of threefry2x32 with a key of zeros gives 6b200159 99ba4efe, as Random123's tests of known answers say, and the
// largest counter with the largest key 1cb996fc bb002be7.

// CHECK: result0: u64[2] {{.*}}: 0 1
// CHECK: result1: u32[2] {{.*}}: 1797259609 2579123966
// CHECK: result2: u64[1] {{.*}}: 13474818356711888636
// Of an odd number of words the last one is dropped.
// CHECK: result3: u32[1] {{.*}}: 1797259609
func.func public @main() -> (tensor<2xui64>, tensor<2xui32>, tensor<1xui64>, tensor<1xui32>) {
  %zeros = stablehlo.constant dense<0> : tensor<2xui64>
  %ones = stablehlo.constant dense<18446744073709551615> : tensor<2xui64>
  %0, %1 = stablehlo.rng_bit_generator %zeros, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  %2, %3 = stablehlo.rng_bit_generator %ones, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
  %4, %5 = stablehlo.rng_bit_generator %zeros, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui32>)
  return %0, %1, %3, %5 : tensor<2xui64>, tensor<2xui32>, tensor<1xui64>, tensor<1xui32>
}
