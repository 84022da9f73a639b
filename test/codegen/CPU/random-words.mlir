// Kernels that draw random words call one function, whose rounds take most of the time to compile such a kernel. The words are
// those of the interpreter, in vectors and alone, of 32 and of 64 bits.
// RUN: lathec %s --emit=mlir --emit-stage=kernels --target x86-64-v3 -o - | FileCheck %s
// RUN: lathec %s --emit=mlir --emit-stage=kernels --target x86-64-v3 -o - | FileCheck %s --check-prefix ONE
// RUN: lathe-run %s words --random --dim N=37 --check --target x86-64-v3
// RUN: lathe-run %s words --random --dim N=37 --check --target x86-64-v2
// RUN: lathe-run %s wide --random --dim N=37 --check --target x86-64-v3

// CHECK: llvm.func internal @random_words_[[LANES:[0-9]+]](%arg0: i32, %arg1: i32, %arg2: vector<[[LANES]]xi32>, %arg3: i32)
// CHECK-COUNT-20: arith.shli
// CHECK-NOT: arith.shli
// CHECK: llvm.func
// CHECK: llvm.call @random_words_

// ONE-COUNT-1: llvm.func internal @random_words_8(
// ONE-NOT: llvm.func internal @random_words_8(
func.func @words(%seed: tensor<i64>, %x: tensor<?xi32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xi32, #lathe.dims<N>> {
  %0 = lathe.random_bits %seed stream 3 to [N] : i32 -> tensor<?xi32, #lathe.dims<N>>
  %1 = lathe.add %0, %x : tensor<?xi32, #lathe.dims<N>>, tensor<?xi32>
  return %1 : tensor<?xi32, #lathe.dims<N>>
}

func.func @more(%seed: tensor<i64>) -> tensor<64xi32> {
  %0 = lathe.random_bits %seed stream 4 to [64] : i32
  return %0 : tensor<64xi32>
}

func.func @wide(%seed: tensor<i64>, %x: tensor<?xi64> {lathe.dims = #lathe.dims<N>}) -> tensor<?xi64, #lathe.dims<N>> {
  %0 = lathe.random_bits %seed stream 5 to [N] : i64 -> tensor<?xi64, #lathe.dims<N>>
  %1 = lathe.add %0, %x : tensor<?xi64, #lathe.dims<N>>, tensor<?xi64>
  return %1 : tensor<?xi64, #lathe.dims<N>>
}

// Kernels that initialise variables with normal numbers share the functions of which these consist, too.
// RUN: lathec %s --emit=llvm --target x86-64-v3 -o - | FileCheck %s --check-prefix NORMAL
// RUN: lathe-run %s init --random --check --rtol 1e-6 --atol 1e-6 --target x86-64-v3
// RUN: lathe-run %s init --random --check --rtol 1e-6 --atol 1e-6 --target x86-64-v2
// NORMAL: define internal <8 x float> @log_f32_8(<8 x float>
// NORMAL: define internal <8 x float> @cos_f32_8(<8 x float>
// NORMAL: define internal void @kernel_mul
// NORMAL: call <8 x float> @log_f32_8(
// NORMAL: call <8 x float> @cos_f32_8(
// NORMAL: define internal void @kernel_mul
// NORMAL: call <8 x float> @log_f32_8(
// NORMAL: call <8 x float> @cos_f32_8(
lathe.variable @small : tensor<37xf32> init #lathe.normal<0.0, 2.0>
lathe.variable @large : tensor<6x24xf32> init #lathe.he_normal
