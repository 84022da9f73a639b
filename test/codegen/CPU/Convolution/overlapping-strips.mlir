// The last strip of channels of a filter's gradient overlaps the one before it, and only one of both has results: a filter that
// the same kernel updates in place changes once. 16, 9 and 4 channels have strips of 6, 5 and 4; a schedule may ask for more rows
// than there are channels.
// RUN: lathec %s --entry=update --explain --emit=none --target=x86-64-v3 2>&1 | FileCheck %s
// CHECK-DAG: filter_gradient {{{.*}}rows = 6
// CHECK-DAG: filter_gradient {{{.*}}rows = 5
// CHECK-DAG: filter_gradient {{{.*}}rows = 4
// RUN: lathe-run %s update --random --check --rtol 1e-5 --atol 1e-4 --target=x86-64-v3
// RUN: lathe-run %s update --random --check --rtol 1e-5 --atol 1e-4 --target=x86-64-v3 --threads 3
// RUN: lathe-run %s update --random --check --rtol 1e-5 --atol 1e-4 --target=x86-64-v2
// RUN: lathec %s --entry=few --explain --emit=none --target=x86-64-v3 2>&1 | grep -o 'kernel_conv_filter_grad[0-9a-z_]* for .*filter_gradient.*' | sed 's/ for x86-64-v3: filter_gradient/ #lathe.schedule<"x86-64-v3" filter_gradient/; s/rows = 3/rows = 6/; s/$/>/' > %t.schedules
// RUN: grep -c 'rows = 6' %t.schedules | grep -x 1
// RUN: lathe-run %s few --random --check --rtol 1e-5 --atol 1e-4 --target=x86-64-v3 --schedule=%t.schedules
lathe.variable @a : tensor<3x3x16x16xf32> init #lathe.he_normal
lathe.variable @b : tensor<3x3x9x16xf32> init #lathe.he_normal
lathe.variable @c : tensor<3x3x4x16xf32> init #lathe.he_normal

func.func @update(%x: tensor<3x7x9x16xf32>, %y: tensor<3x7x9x9xf32>, %z: tensor<3x7x9x4xf32>, %d: tensor<3x7x9x16xf32>,
                  %rate: tensor<f32>) {
  %a = lathe.read @a : tensor<3x3x16x16xf32>
  %b = lathe.read @b : tensor<3x3x9x16xf32>
  %c = lathe.read @c : tensor<3x3x4x16xf32>
  %0 = lathe.conv_filter_grad %x, %d filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<3x7x9x16xf32>, tensor<3x7x9x16xf32>
  %1 = lathe.conv_filter_grad %y, %d filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<3x7x9x9xf32>, tensor<3x7x9x16xf32>
  %2 = lathe.conv_filter_grad %z, %d filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<3x7x9x4xf32>, tensor<3x7x9x16xf32>
  %3 = lathe.mul %0, %rate : tensor<3x3x16x16xf32>, tensor<f32>
  %4 = lathe.mul %1, %rate : tensor<3x3x9x16xf32>, tensor<f32>
  %5 = lathe.mul %2, %rate : tensor<3x3x4x16xf32>, tensor<f32>
  %6 = lathe.sub %a, %3 : tensor<3x3x16x16xf32>, tensor<3x3x16x16xf32>
  %7 = lathe.sub %b, %4 : tensor<3x3x9x16xf32>, tensor<3x3x9x16xf32>
  %8 = lathe.sub %c, %5 : tensor<3x3x4x16xf32>, tensor<3x3x4x16xf32>
  lathe.write @a, %6 : tensor<3x3x16x16xf32>
  lathe.write @b, %7 : tensor<3x3x9x16xf32>
  lathe.write @c, %8 : tensor<3x3x4x16xf32>
  return
}

func.func @few(%x: tensor<3x7x9x3xf32>, %d: tensor<3x7x9x16xf32>) -> tensor<3x3x3x16xf32> {
  %0 = lathe.conv_filter_grad %x, %d filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<3x7x9x3xf32>, tensor<3x7x9x16xf32>
  return %0 : tensor<3x3x3x16xf32>
}
