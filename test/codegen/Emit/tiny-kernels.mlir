// Kernels of a few elements in loops are code of the versions that run them; values go from one to the next in registers.
// RUN: lathec %s --entry=tiny --threads=off --target=x86-64-v3 --emit=llvm -o - | FileCheck %s --check-prefix=TINY
// TINY-NOT: define internal void @kernel_add
// TINY: define internal i32 @{{.*}}_tiny.general(
// TINY: scan:
// TINY: step:
// TINY-NOT: call
// TINY: %[[GROWN:.*]] = fadd double
// TINY-NEXT: store double %[[GROWN]]
// TINY-NOT: load double
// TINY: insertelement <4 x double> poison, double %[[GROWN]], i64 0
// TINY: fdiv <4 x double>
// TINY-NOT: call
// TINY: br label %scan
// TINY: next:

// A profiler receives each kernel: with a profiler, kernels are called.
// RUN: lathec %s --entry=tiny --target=x86-64-v3 --emit=llvm -o - | FileCheck %s --check-prefix=TOLD
// TOLD: define internal i32 @{{.*}}_tiny.general(
// TOLD: step:
// TOLD: br i1 %{{.*}}, label %inlined, label %profiled
// TOLD: profiled:
// TOLD: call void @kernel_add_
// TOLD: call void @kernel_div_
// TOLD: inlined:
// TOLD-NOT: call
// TOLD: fadd double
// TOLD-NOT: call
// TOLD: fdiv <4 x double>
// TOLD-NOT: call
// TOLD: br label
// RUN: lathe-run %s tiny --random --profile | FileCheck %s --check-prefix=ROWS
// ROWS-DAG: 58 add (100 calls)
// ROWS-DAG: 59 div + broadcast (100 calls)

// Others are called: of more elements; those that run once; with little optimisation all; and sums of products that may be
// rounded once or twice, as the back end finds them, while those of one rounding are inlined.
// RUN: lathec %s --entry=many --threads=off --target=x86-64-v3 --emit=llvm -o - | FileCheck %s --check-prefix=CALLED
// RUN: lathec %s --entry=once --threads=off --target=x86-64-v3 --emit=llvm -o - | FileCheck %s --check-prefix=CALLED
// RUN: lathec %s --entry=products --threads=off --target=x86-64-v2 --emit=llvm -o - | FileCheck %s --check-prefix=CALLED
// RUN: lathec %s --entry=tiny --threads=off --target=x86-64-v3 --emit=llvm -O1 -o - | FileCheck %s --check-prefix=CALLED
// RUN: lathec %s --entry=tiny --threads=off --target=x86-64-v3 --emit=llvm -O0 -o - | FileCheck %s --check-prefix=CALLED
// CALLED: define internal i32 @{{.*}}.general(
// CALLED: call void @kernel_{{div|dot_general}}_
// CALLED: {{^}$}}
// RUN: lathec %s --entry=products --threads=off --target=x86-64-v3 --emit=llvm -o - | FileCheck %s --check-prefix=FMA
// FMA: define internal i32 @{{.*}}.general(
// FMA: step
// FMA-NOT: call void
// FMA: call <4 x double> @llvm.fma.
// FMA-NOT: call void
// FMA: br label %scan

// RUN: lathe-run %s tiny --random --check --rtol 0 --atol 0
// RUN: lathe-run %s products --random --check --rtol 1e-12
func.func @tiny(%x: tensor<4xf64>, %s: tensor<f64>) -> (tensor<4xf64>, tensor<f64>) {
  %v, %t = lathe.scan carry(%h = %x : tensor<4xf64>, %g = %s : tensor<f64>) trip 100 -> (tensor<4xf64>, tensor<f64>) {
    %grown = lathe.add %g, %s : tensor<f64>
    %next = lathe.div %h, %grown : tensor<4xf64>, tensor<f64>
    lathe.yield carry(%next : tensor<4xf64>, %grown : tensor<f64>)
  }
  return %v, %t : tensor<4xf64>, tensor<f64>
}

func.func @many(%x: tensor<17xf64>) -> tensor<17xf64> {
  %v = lathe.scan carry(%h = %x : tensor<17xf64>) trip 100 -> tensor<17xf64> {
    %next = lathe.div %x, %h : tensor<17xf64>
    lathe.yield carry(%next : tensor<17xf64>)
  }
  return %v : tensor<17xf64>
}

func.func @once(%x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
  %v = lathe.div %x, %y : tensor<4xf64>
  return %v : tensor<4xf64>
}

func.func @products(%x: tensor<4xf64>, %s: tensor<f64>) -> tensor<f64> {
  %v = lathe.scan carry(%g = %s : tensor<f64>) trip 100 -> tensor<f64> {
    %scaled = lathe.mul %x, %g : tensor<4xf64>, tensor<f64>
    %sum = lathe.dot_general %scaled, %x contract [0] x [0] : tensor<4xf64>, tensor<4xf64>
    %next = lathe.div %sum, %s : tensor<f64>
    lathe.yield carry(%next : tensor<f64>)
  }
  return %v : tensor<f64>
}
