// Under --math=fast f32 functions are shorter: near the interpreter's values, the same bits on several threads and in versions for
// known sizes, and with infinities and NaN where they belong. f64 stays as it is.
// RUN: lathec %s --entry=gelu --emit=llvm --target=x86-64-v3 --math=fast -o - | FileCheck %s --check-prefix=FAST
// RUN: lathec %s --entry=gelu --emit=llvm --target=x86-64-v3 -o - | FileCheck %s --check-prefix=STRICT --implicit-check-not=0x3FF20DD740000000
// RUN: lathe-run %s gelu --random --dim N=1000 --math=fast --save %t.gelu --check --rtol 2e-6
// RUN: lathe-run %s gelu --input x=@%t.gelu/in-x.npy --math=fast --threads 3 --expect y=@%t.gelu/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s gelu --input x=@%t.gelu/in-x.npy --math=fast --specialize N=1000 --expect y=@%t.gelu/out-y.npy --rtol 0 --atol 0
// RUN: %npy %t.npy "<f4" 6 0 -0.0 inf -inf nan 1e-20
// RUN: lathe-run %s special --input x=@%t.npy --math=fast | FileCheck %s --check-prefix=SPECIAL
// RUN: lathe-run %s doubles --random --save %t.doubles
// RUN: lathe-run %s doubles --random --math=fast --expect y=@%t.doubles/out-y.npy --rtol 0 --atol 0

// The first coefficient of erf.
// FAST: 0x3FF20DD740000000
// STRICT: define

lathe.dim @N, 1 to 4096

func.func @gelu(%x: tensor<?x64xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x64xf32> {lathe.name = "y"}) {
  %half = lathe.constant dense<0.5> : tensor<f32>
  %root = lathe.constant dense<0.70710678> : tensor<f32>
  %one = lathe.constant dense<1.0> : tensor<f32>
  %inner = lathe.mul %x, %root : tensor<?x64xf32>, tensor<f32>
  %erf = lathe.erf %inner : tensor<?x64xf32>
  %sum = lathe.add %erf, %one : tensor<?x64xf32>, tensor<f32>
  %part = lathe.mul %sum, %half : tensor<?x64xf32>, tensor<f32>
  %y = lathe.mul %x, %part : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// SPECIAL: erf: f32[6] {{.*}}: 0 -0 1 -1 nan 1.128379{{[0-9]+}}e-20
// SPECIAL: exp: f32[6] {{.*}}: 1 1 inf 0 nan 1
// SPECIAL: logistic: f32[6] {{.*}}: 0.5 0.5 1 0 nan 0.5
// SPECIAL: tanh: f32[6] {{.*}}: 0 -0 1 -1 nan 1e-20
func.func @special(%x: tensor<6xf32>) -> (tensor<6xf32> {lathe.name = "erf"}, tensor<6xf32> {lathe.name = "exp"}, tensor<6xf32> {lathe.name = "logistic"}, tensor<6xf32> {lathe.name = "tanh"}) {
  %erf = lathe.erf %x : tensor<6xf32>
  %exp = lathe.exp %x : tensor<6xf32>
  %logistic = lathe.logistic %x : tensor<6xf32>
  %tanh = lathe.tanh %x : tensor<6xf32>
  return %erf, %exp, %logistic, %tanh : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

func.func @doubles(%x: tensor<100xf64>) -> (tensor<100xf64> {lathe.name = "y"}) {
  %erf = lathe.erf %x : tensor<100xf64>
  %exp = lathe.exp %erf : tensor<100xf64>
  %y = lathe.tanh %exp : tensor<100xf64>
  return %y : tensor<100xf64>
}
