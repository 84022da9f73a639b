// lathec 0.1.0 test/codegen/CPU/sorts.mlir --target=cuda:sm_90 --emit=ptx -o /tmp/gpu/a.ptx
// Compiled code against the interpreter: order by counting (short lines), radix and insertion. Exact, on every level.
// RUN: lathe-run %s lines --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s lines --random --dim N=64 --check --rtol 0 --atol 0
// RUN: lathe-run %s lines --random --dim N=65 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s lines --random --dim N=1001 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s lines --random --dim N=1001 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s columns --random --dim N=3 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s columns --random --dim N=300 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s first --random --dim M=70 --check --rtol 0 --atol 0
// RUN: lathe-run %s first --random --dim M=777 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s first --random --dim M=777 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s ties --random --check --rtol 0 --atol 0
// RUN: lathe-run %s ties --random --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s long --random --check --rtol 0 --atol 0
// RUN: lathe-run %s long --random --check --rtol 0 --atol 0 --target x86-64-v3

func.func @lines(%x: tensor<3x?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<3x?xf64> {lathe.dims = #lathe.dims<N>},
                 %n: tensor<3x?xi32> {lathe.dims = #lathe.dims<N>}, %m: tensor<3x?xi64> {lathe.dims = #lathe.dims<N>})
    -> (tensor<3x?xf32>, tensor<3x?xi32>, tensor<3x?xf64>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi64>) {
  %0 = lathe.sort %x dim 1 : tensor<3x?xf32>
  %1 = lathe.argsort %x dim 1 descending : tensor<3x?xf32>
  %2 = lathe.sort %y dim 1 descending : tensor<3x?xf64>
  %3 = lathe.argsort %y dim 1 : tensor<3x?xf64>
  %4 = lathe.argsort %n dim 1 : tensor<3x?xi32>
  %5 = lathe.sort %n dim 1 descending : tensor<3x?xi32>
  %6 = lathe.sort %m dim 1 : tensor<3x?xi64>
  return %0, %1, %2, %3, %4, %5, %6
    : tensor<3x?xf32>, tensor<3x?xi32>, tensor<3x?xf64>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi64>
}

func.func @columns(%x: tensor<4x?x5xf32> {lathe.dims = #lathe.dims<N>}, %n: tensor<100x?xi64> {lathe.dims = #lathe.dims<N>})
    -> (tensor<4x?x5xf32>, tensor<4x?x5xi32>, tensor<100x?xi32>, tensor<100x?xi64>, tensor<3x?xi32>) {
  %0 = lathe.sort %x dim 1 : tensor<4x?x5xf32>
  %1 = lathe.argsort %x dim 0 : tensor<4x?x5xf32>
  %2 = lathe.argsort %n dim 0 descending : tensor<100x?xi64>
  %3 = lathe.sort %n dim 0 : tensor<100x?xi64>
  %4 = lathe.top_k %n dim 0 count 3 : tensor<100x?xi64>
  return %0, %1, %2, %3, %4 : tensor<4x?x5xf32>, tensor<4x?x5xi32>, tensor<100x?xi32>, tensor<100x?xi64>, tensor<3x?xi32>
}

func.func @first(%x: tensor<3x?xf32> {lathe.dims = #lathe.dims<M>}, %y: tensor<3x?xf64> {lathe.dims = #lathe.dims<M>})
    -> (tensor<3x1xi32>, tensor<3x5xi32>, tensor<3x64xi32>, tensor<3x65xi32>, tensor<3x65xi32>, tensor<3x7xi32>) {
  %0 = lathe.top_k %x dim 1 count 1 : tensor<3x?xf32>
  %1 = lathe.top_k %x dim 1 count 5 smallest : tensor<3x?xf32>
  %2 = lathe.top_k %x dim 1 count 64 : tensor<3x?xf32>
  %3 = lathe.top_k %x dim 1 count 65 : tensor<3x?xf32>
  %4 = lathe.top_k %y dim 1 count 65 : tensor<3x?xf64>
  %5 = lathe.top_k %y dim 1 count 7 : tensor<3x?xf64>
  return %0, %1, %2, %3, %4, %5 : tensor<3x1xi32>, tensor<3x5xi32>, tensor<3x64xi32>, tensor<3x65xi32>, tensor<3x65xi32>, tensor<3x7xi32>
}

// Many equal ones, zeros of both signs, NaN, infinities; short and long.
func.func @ties(%n: tensor<500xi32>) -> (tensor<500xi32>, tensor<500xf32>, tensor<500xi32>, tensor<20xi32>, tensor<40xi32>, tensor<40xf32>, tensor<20xi32>) {
  %four = lathe.constant dense<4> : tensor<i32>
  %few = lathe.rem %n, %four : tensor<500xi32>, tensor<i32>
  %x = lathe.convert %few to f32 : tensor<500xi32>
  %one = lathe.constant dense<1.0> : tensor<f32>
  %minus = lathe.constant dense<-1.0> : tensor<f32>
  %y = lathe.sub %x, %one : tensor<500xf32>, tensor<f32>
  %z = lathe.mul %y, %minus : tensor<500xf32>, tensor<f32>
  %root = lathe.sqrt %z : tensor<500xf32>
  %all = lathe.div %root, %y : tensor<500xf32>
  %0 = lathe.argsort %all dim 0 : tensor<500xf32>
  %1 = lathe.sort %all dim 0 descending : tensor<500xf32>
  %2 = lathe.argsort %few dim 0 descending : tensor<500xi32>
  %3 = lathe.top_k %all dim 0 count 20 : tensor<500xf32>
  %short = lathe.slice %all from [3] to [43] : tensor<500xf32>
  %4 = lathe.argsort %short dim 0 descending : tensor<40xf32>
  %5 = lathe.sort %short dim 0 : tensor<40xf32>
  %6 = lathe.top_k %short dim 0 count 20 smallest : tensor<40xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<500xi32>, tensor<500xf32>, tensor<500xi32>, tensor<20xi32>, tensor<40xi32>, tensor<40xf32>, tensor<20xi32>
}

// Long enough for digits of 11 bits.
func.func @long(%x: tensor<40000xf32>, %y: tensor<40000xf64>) -> (tensor<40000xi32>, tensor<40000xf64>) {
  %0 = lathe.argsort %x dim 0 descending : tensor<40000xf32>
  %1 = lathe.sort %y dim 0 : tensor<40000xf64>
  return %0, %1 : tensor<40000xi32>, tensor<40000xf64>
}
