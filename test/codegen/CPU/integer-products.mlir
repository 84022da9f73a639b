// Products and convolutions of integers against the interpreter, bit for bit: they wrap in their own type, and have wider sums where
// the operands are converted, which are widened where they are read.
// RUN: lathe-run %s dots --random --dim N=37 --check --rtol 0 --atol 0
// RUN: lathe-run %s dots --random --dim N=5 --check --rtol 0 --atol 0 --target x86-64-v3 --threads 2
// RUN: lathe-run %s dots --random --dim N=37 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s dots --random --dim N=3 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s wide --random --dim N=37 --check --rtol 0 --atol 0
// RUN: lathe-run %s wide --random --dim N=37 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s convs --random --dim N=3 --check --rtol 0 --atol 0
// RUN: lathe-run %s convs --random --dim N=3 --check --rtol 0 --atol 0 --target x86-64-v3 --threads 2
// RUN: lathe-run %s convs --random --dim N=3 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s convs --random --dim N=2 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s ends --interpret | FileCheck %s
// RUN: lathe-run %s ends | FileCheck %s
// The widening is part of the product's kernel.
// RUN: lathec %s --entry wide --emit=mlir --emit-stage=fusion -o - | FileCheck %s --check-prefix=FUSED

// Factors of hundreds, so that narrow types wrap.
func.func @dots(%ai8: tensor<?x19xi8> {lathe.dims = #lathe.dims<N>}, %bi8: tensor<19x35xi8>, %aui8: tensor<?x19xui8> {lathe.dims = #lathe.dims<N>}, %bui8: tensor<19x35xui8>, %ai16: tensor<?x19xi16> {lathe.dims = #lathe.dims<N>}, %bi16: tensor<19x35xi16>, %aui16: tensor<?x19xui16> {lathe.dims = #lathe.dims<N>}, %bui16: tensor<19x35xui16>, %ai32: tensor<?x19xi32> {lathe.dims = #lathe.dims<N>}, %bi32: tensor<19x35xi32>, %aui32: tensor<?x19xui32> {lathe.dims = #lathe.dims<N>}, %bui32: tensor<19x35xui32>, %ai64: tensor<?x19xi64> {lathe.dims = #lathe.dims<N>}, %bi64: tensor<19x35xi64>, %aui64: tensor<?x19xui64> {lathe.dims = #lathe.dims<N>}, %bui64: tensor<19x35xui64>)
    -> (tensor<?x35xi8>, tensor<?x35xui8>, tensor<?x35xi16>, tensor<?x35xui16>, tensor<?x35xi32>, tensor<?x35xui32>, tensor<?x35xi64>, tensor<?x35xui64>) {
  %ci8 = lathe.constant dense<31> : tensor<i8>
  %si8 = lathe.mul %ai8, %ci8 : tensor<?x19xi8>, tensor<i8>
  %i8 = lathe.dot_general %si8, %bi8 contract [1] x [0] : tensor<?x19xi8>, tensor<19x35xi8>
  %cui8 = lathe.constant dense<31> : tensor<ui8>
  %sui8 = lathe.mul %aui8, %cui8 : tensor<?x19xui8>, tensor<ui8>
  %ui8 = lathe.dot_general %sui8, %bui8 contract [1] x [0] : tensor<?x19xui8>, tensor<19x35xui8>
  %ci16 = lathe.constant dense<31> : tensor<i16>
  %si16 = lathe.mul %ai16, %ci16 : tensor<?x19xi16>, tensor<i16>
  %i16 = lathe.dot_general %si16, %bi16 contract [1] x [0] : tensor<?x19xi16>, tensor<19x35xi16>
  %cui16 = lathe.constant dense<31> : tensor<ui16>
  %sui16 = lathe.mul %aui16, %cui16 : tensor<?x19xui16>, tensor<ui16>
  %ui16 = lathe.dot_general %sui16, %bui16 contract [1] x [0] : tensor<?x19xui16>, tensor<19x35xui16>
  %ci32 = lathe.constant dense<31> : tensor<i32>
  %si32 = lathe.mul %ai32, %ci32 : tensor<?x19xi32>, tensor<i32>
  %i32 = lathe.dot_general %si32, %bi32 contract [1] x [0] : tensor<?x19xi32>, tensor<19x35xi32>
  %cui32 = lathe.constant dense<31> : tensor<ui32>
  %sui32 = lathe.mul %aui32, %cui32 : tensor<?x19xui32>, tensor<ui32>
  %ui32 = lathe.dot_general %sui32, %bui32 contract [1] x [0] : tensor<?x19xui32>, tensor<19x35xui32>
  %ci64 = lathe.constant dense<31> : tensor<i64>
  %si64 = lathe.mul %ai64, %ci64 : tensor<?x19xi64>, tensor<i64>
  %i64 = lathe.dot_general %si64, %bi64 contract [1] x [0] : tensor<?x19xi64>, tensor<19x35xi64>
  %cui64 = lathe.constant dense<31> : tensor<ui64>
  %sui64 = lathe.mul %aui64, %cui64 : tensor<?x19xui64>, tensor<ui64>
  %ui64 = lathe.dot_general %sui64, %bui64 contract [1] x [0] : tensor<?x19xui64>, tensor<19x35xui64>
  return %i8, %ui8, %i16, %ui16, %i32, %ui32, %i64, %ui64 : tensor<?x35xi8>, tensor<?x35xui8>, tensor<?x35xi16>, tensor<?x35xui16>, tensor<?x35xi32>, tensor<?x35xui32>, tensor<?x35xi64>, tensor<?x35xui64>
}

// FUSED-LABEL: @wide
// FUSED-COUNT-3: lathe.kernel
// FUSED-NOT: lathe.kernel
func.func @wide(%a: tensor<?x19xui8> {lathe.dims = #lathe.dims<N>}, %b: tensor<19x35xi8>, %c: tensor<19x35xi16>)
    -> (tensor<?x35xi32>, tensor<?x35xi32>, tensor<?x35xi64>) {
  %x = lathe.convert %a to i32 : tensor<?x19xui8>
  %y = lathe.convert %b to i32 : tensor<19x35xi8>
  %z = lathe.convert %c to i32 : tensor<19x35xi16>
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<?x19xi32>, tensor<19x35xi32>
  %1 = lathe.dot_general %x, %z contract [1] x [0] : tensor<?x19xi32>, tensor<19x35xi32>
  %v = lathe.convert %a to i64 : tensor<?x19xui8>
  %w = lathe.convert %c to i64 : tensor<19x35xi16>
  %2 = lathe.dot_general %v, %w contract [1] x [0] : tensor<?x19xi64>, tensor<19x35xi64>
  return %0, %1, %2 : tensor<?x35xi32>, tensor<?x35xi32>, tensor<?x35xi64>
}

func.func @convs(%xi8: tensor<?x7x9x4xi8> {lathe.dims = #lathe.dims<N>}, %wi8: tensor<3x2x4x18xi8>, %gi8: tensor<3x3x1x4xi8>, %xui8: tensor<?x7x9x4xui8> {lathe.dims = #lathe.dims<N>}, %wui8: tensor<3x2x4x18xui8>, %gui8: tensor<3x3x1x4xui8>, %xi16: tensor<?x7x9x4xi16> {lathe.dims = #lathe.dims<N>}, %wi16: tensor<3x2x4x18xi16>, %gi16: tensor<3x3x1x4xi16>, %xui16: tensor<?x7x9x4xui16> {lathe.dims = #lathe.dims<N>}, %wui16: tensor<3x2x4x18xui16>, %gui16: tensor<3x3x1x4xui16>, %xi32: tensor<?x7x9x4xi32> {lathe.dims = #lathe.dims<N>}, %wi32: tensor<3x2x4x18xi32>, %gi32: tensor<3x3x1x4xi32>, %xui32: tensor<?x7x9x4xui32> {lathe.dims = #lathe.dims<N>}, %wui32: tensor<3x2x4x18xui32>, %gui32: tensor<3x3x1x4xui32>, %xi64: tensor<?x7x9x4xi64> {lathe.dims = #lathe.dims<N>}, %wi64: tensor<3x2x4x18xi64>, %gi64: tensor<3x3x1x4xi64>, %xui64: tensor<?x7x9x4xui64> {lathe.dims = #lathe.dims<N>}, %wui64: tensor<3x2x4x18xui64>, %gui64: tensor<3x3x1x4xui64>)
    -> (tensor<?x7x5x18xi8>, tensor<?x5x7x4xi8>, tensor<?x7x5x18xui8>, tensor<?x5x7x4xui8>, tensor<?x7x5x18xi16>, tensor<?x5x7x4xi16>, tensor<?x7x5x18xui16>, tensor<?x5x7x4xui16>, tensor<?x7x5x18xi32>, tensor<?x5x7x4xi32>, tensor<?x7x5x18xui32>, tensor<?x5x7x4xui32>, tensor<?x7x5x18xi64>, tensor<?x5x7x4xi64>, tensor<?x7x5x18xui64>, tensor<?x5x7x4xui64>) {
  %ci8 = lathe.constant dense<31> : tensor<i8>
  %si8 = lathe.mul %xi8, %ci8 : tensor<?x7x9x4xi8>, tensor<i8>
  %i8 = lathe.conv %si8, %wi8 stride [1, 2] pad same : tensor<?x7x9x4xi8>, tensor<3x2x4x18xi8>
  %di8 = lathe.conv %si8, %gi8 stride [1, 1] pad valid groups 4 : tensor<?x7x9x4xi8>, tensor<3x3x1x4xi8>
  %cui8 = lathe.constant dense<31> : tensor<ui8>
  %sui8 = lathe.mul %xui8, %cui8 : tensor<?x7x9x4xui8>, tensor<ui8>
  %ui8 = lathe.conv %sui8, %wui8 stride [1, 2] pad same : tensor<?x7x9x4xui8>, tensor<3x2x4x18xui8>
  %dui8 = lathe.conv %sui8, %gui8 stride [1, 1] pad valid groups 4 : tensor<?x7x9x4xui8>, tensor<3x3x1x4xui8>
  %ci16 = lathe.constant dense<31> : tensor<i16>
  %si16 = lathe.mul %xi16, %ci16 : tensor<?x7x9x4xi16>, tensor<i16>
  %i16 = lathe.conv %si16, %wi16 stride [1, 2] pad same : tensor<?x7x9x4xi16>, tensor<3x2x4x18xi16>
  %di16 = lathe.conv %si16, %gi16 stride [1, 1] pad valid groups 4 : tensor<?x7x9x4xi16>, tensor<3x3x1x4xi16>
  %cui16 = lathe.constant dense<31> : tensor<ui16>
  %sui16 = lathe.mul %xui16, %cui16 : tensor<?x7x9x4xui16>, tensor<ui16>
  %ui16 = lathe.conv %sui16, %wui16 stride [1, 2] pad same : tensor<?x7x9x4xui16>, tensor<3x2x4x18xui16>
  %dui16 = lathe.conv %sui16, %gui16 stride [1, 1] pad valid groups 4 : tensor<?x7x9x4xui16>, tensor<3x3x1x4xui16>
  %ci32 = lathe.constant dense<31> : tensor<i32>
  %si32 = lathe.mul %xi32, %ci32 : tensor<?x7x9x4xi32>, tensor<i32>
  %i32 = lathe.conv %si32, %wi32 stride [1, 2] pad same : tensor<?x7x9x4xi32>, tensor<3x2x4x18xi32>
  %di32 = lathe.conv %si32, %gi32 stride [1, 1] pad valid groups 4 : tensor<?x7x9x4xi32>, tensor<3x3x1x4xi32>
  %cui32 = lathe.constant dense<31> : tensor<ui32>
  %sui32 = lathe.mul %xui32, %cui32 : tensor<?x7x9x4xui32>, tensor<ui32>
  %ui32 = lathe.conv %sui32, %wui32 stride [1, 2] pad same : tensor<?x7x9x4xui32>, tensor<3x2x4x18xui32>
  %dui32 = lathe.conv %sui32, %gui32 stride [1, 1] pad valid groups 4 : tensor<?x7x9x4xui32>, tensor<3x3x1x4xui32>
  %ci64 = lathe.constant dense<31> : tensor<i64>
  %si64 = lathe.mul %xi64, %ci64 : tensor<?x7x9x4xi64>, tensor<i64>
  %i64 = lathe.conv %si64, %wi64 stride [1, 2] pad same : tensor<?x7x9x4xi64>, tensor<3x2x4x18xi64>
  %di64 = lathe.conv %si64, %gi64 stride [1, 1] pad valid groups 4 : tensor<?x7x9x4xi64>, tensor<3x3x1x4xi64>
  %cui64 = lathe.constant dense<31> : tensor<ui64>
  %sui64 = lathe.mul %xui64, %cui64 : tensor<?x7x9x4xui64>, tensor<ui64>
  %ui64 = lathe.conv %sui64, %wui64 stride [1, 2] pad same : tensor<?x7x9x4xui64>, tensor<3x2x4x18xui64>
  %dui64 = lathe.conv %sui64, %gui64 stride [1, 1] pad valid groups 4 : tensor<?x7x9x4xui64>, tensor<3x3x1x4xui64>
  return %i8, %di8, %ui8, %dui8, %i16, %di16, %ui16, %dui16, %i32, %di32, %ui32, %dui32, %i64, %di64, %ui64, %dui64 : tensor<?x7x5x18xi8>, tensor<?x5x7x4xi8>, tensor<?x7x5x18xui8>, tensor<?x5x7x4xui8>, tensor<?x7x5x18xi16>, tensor<?x5x7x4xi16>, tensor<?x7x5x18xui16>, tensor<?x5x7x4xui16>, tensor<?x7x5x18xi32>, tensor<?x5x7x4xi32>, tensor<?x7x5x18xui32>, tensor<?x5x7x4xui32>, tensor<?x7x5x18xi64>, tensor<?x5x7x4xi64>, tensor<?x7x5x18xui64>, tensor<?x5x7x4xui64>
}

func.func @ends() -> (tensor<1x1xi8>, tensor<1x1xui8>, tensor<1x1xi32>, tensor<1x1x1x1xi8>) {
  %a = lathe.constant dense<[[-128, 127, 100]]> : tensor<1x3xi8>
  %b = lathe.constant dense<[[-128], [127], [3]]> : tensor<3x1xi8>
  // 16384 + 16129 + 300 = 32813 = 128 * 256 + 45
  // CHECK: narrow: {{.*}}: 45{{$}}
  %narrow = lathe.dot_general %a, %b contract [1] x [0] : tensor<1x3xi8>, tensor<3x1xi8>
  %u = lathe.bitcast %a to ui8 : tensor<1x3xi8>
  %v = lathe.bitcast %b to ui8 : tensor<3x1xi8>
  // CHECK: positive: {{.*}}: 45{{$}}
  %positive = lathe.dot_general %u, %v contract [1] x [0] : tensor<1x3xui8>, tensor<3x1xui8>
  %x = lathe.convert %u to i32 : tensor<1x3xui8>
  %y = lathe.convert %b to i32 : tensor<3x1xi8>
  // 128 * -128 + 127 * 127 + 300
  // CHECK: mixed: {{.*}}: 45{{$}}
  %mixed = lathe.dot_general %x, %y contract [1] x [0] : tensor<1x3xi32>, tensor<3x1xi32>
  %image = lathe.reshape %a to [1, 3, 1, 1] : tensor<1x3xi8>
  %image2 = lathe.reshape %image to [1, 1, 3, 1] : tensor<1x3x1x1xi8>
  %filter = lathe.reshape %b to [1, 3, 1, 1] : tensor<3x1xi8>
  // CHECK: conv: {{.*}}: 45{{$}}
  %conv = lathe.conv %image2, %filter stride [1, 1] pad valid : tensor<1x1x3x1xi8>, tensor<1x3x1x1xi8>
  return %narrow, %positive, %mixed, %conv : tensor<1x1xi8>, tensor<1x1xui8>, tensor<1x1xi32>, tensor<1x1x1x1xi8>
}
