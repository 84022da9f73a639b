// The maximum with +0 takes two instructions on x86-64, and is the definition's for zeros, NaN and infinities, with either operand
// first; at all levels, in vectors and one by one. The maximum with -0 keeps it.
// RUN: lathe-run %s data --output x=@%t.x.npy
// RUN: lathe-run %s signs --input x=@%t.x.npy --check --rtol 0 --atol 0
// RUN: lathe-run %s signs --input x=@%t.x.npy --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s signs --input x=@%t.x.npy --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s signs --input x=@%t.x.npy | FileCheck %s --check-prefix=SIGNS
// RUN: lathe-run %s wide --random --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s wide --random --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathec %s --entry=wide --target=x86-64-v3 --emit=asm -o - | FileCheck %s --check-prefix=CODE --implicit-check-not=vcmpunord
// CODE: vmaxps
// CODE: vaddps

// A reciprocal shows the sign of a zero: +0 from both zeros, and -0 where it is the greater one.
// SIGNS: out1: {{.*}}: inf inf nan nan inf 0.5 0 inf
// SIGNS: out3: {{.*}}: inf inf nan nan inf 0.5 0 inf
// SIGNS: out5: {{.*}}: -inf inf nan nan -inf 0.5 0 -inf
func.func @signs(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf64>, tensor<8xf32>) {
  %y = lathe.convert %x to f64 : tensor<8xf32>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zero64 = lathe.constant dense<0.0> : tensor<f64>
  %negative = lathe.constant dense<-0.0> : tensor<f32>
  %one = lathe.constant dense<1.0> : tensor<f32>
  %one64 = lathe.constant dense<1.0> : tensor<f64>
  %0 = lathe.max %x, %zero : tensor<8xf32>, tensor<f32>
  %1 = lathe.div %one, %0 : tensor<f32>, tensor<8xf32>
  %2 = lathe.max %zero64, %y : tensor<f64>, tensor<8xf64>
  %3 = lathe.div %one64, %2 : tensor<f64>, tensor<8xf64>
  %4 = lathe.max %x, %negative : tensor<8xf32>, tensor<f32>
  %5 = lathe.div %one, %4 : tensor<f32>, tensor<8xf32>
  return %1, %3, %5 : tensor<8xf32>, tensor<8xf64>, tensor<8xf32>
}

func.func @data() -> tensor<8xf32> {
  %x = lathe.constant dense<[-0.0, 0.0, 0x7FC00000, 0xFFC00000, -1.0, 2.0, 0x7F800000, 0xFF800000]> : tensor<8xf32>
  return %x : tensor<8xf32>
}

func.func @wide(%x: tensor<131xf32>) -> tensor<131xf32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %six = lathe.constant dense<6.0> : tensor<f32>
  %0 = lathe.clamp %zero, %x, %six : tensor<f32>, tensor<131xf32>, tensor<f32>
  return %0 : tensor<131xf32>
}
