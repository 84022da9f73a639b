// Compiled code against the interpreter: reductions along every kind of dimension, argmax, products, fused neighbours.
// RUN: lathe-run %s sums --random --dim N=1 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s sums --random --dim N=7 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s sums --random --dim N=130 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s sums --random --dim N=130 --check --rtol 1e-5 --atol 1e-5 --target x86-64-v2
// RUN: lathe-run %s sums --random --dim N=33 --check --rtol 1e-5 --atol 1e-5 --target x86-64-v3
// RUN: lathe-run %s sums --random --dim N=7 --check --rtol 1e-5 --atol 1e-5 -O 0
// RUN: lathe-run %s exact --random --dim N=7 --check --rtol 0 --atol 0
// RUN: lathe-run %s exact --random --dim N=32 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s products --random --dim N=1 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s products --random --dim N=33 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s products --random --dim N=33 --check --rtol 1e-5 --atol 1e-5 --target x86-64-v2
// RUN: lathe-run %s softmax --random --dim N=5 --check --rtol 1e-5 --atol 1e-6

func.func @sums(%x: tensor<?x17x9xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x17xf32>, tensor<17x9xf32>, tensor<?x9xf32>, tensor<9xf32>, tensor<f32>, tensor<?xf32>) {
  %last = lathe.reduce sum %x dims [2] : tensor<?x17x9xf32>
  %first = lathe.reduce sum %x dims [0] : tensor<?x17x9xf32>
  %middle = lathe.reduce sum %x dims [1] : tensor<?x17x9xf32>
  %columns = lathe.reduce sum %x dims [0, 1] : tensor<?x17x9xf32>
  %all = lathe.reduce sum %x dims [0, 1, 2] : tensor<?x17x9xf32>
  %exp = lathe.exp %x : tensor<?x17x9xf32>
  %rows = lathe.reduce sum %exp dims [1, 2] : tensor<?x17x9xf32>
  return %last, %first, %middle, %columns, %all, %rows
      : tensor<?x17xf32>, tensor<17x9xf32>, tensor<?x9xf32>, tensor<9xf32>, tensor<f32>, tensor<?xf32>
}

func.func @exact(%x: tensor<?x19xf32> {lathe.dims = #lathe.dims<N>}, %k: tensor<?x19xi32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xf32>, tensor<19xf32>, tensor<?xi32>, tensor<19xi32>, tensor<?xi32>, tensor<19xi32>, tensor<i32>) {
  %largest = lathe.reduce max %x dims [1] : tensor<?x19xf32>
  %smallest = lathe.reduce min %x dims [0] : tensor<?x19xf32>
  %where = lathe.argmax %x dim 1 : tensor<?x19xf32>
  %down = lathe.argmax %k dim 0 : tensor<?x19xi32>
  %sum = lathe.reduce sum %k dims [1] : tensor<?x19xi32>
  %product = lathe.reduce product %k dims [0] : tensor<?x19xi32>
  %most = lathe.reduce max %k dims [0, 1] : tensor<?x19xi32>
  return %largest, %smallest, %where, %down, %sum, %product, %most
      : tensor<?xf32>, tensor<19xf32>, tensor<?xi32>, tensor<19xi32>, tensor<?xi32>, tensor<19xi32>, tensor<i32>
}

func.func @products(%a: tensor<?x13xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<13x21xf32>, %c: tensor<21x13xf32>,
                    %s: tensor<3x?x4xf64> {lathe.dims = #lathe.dims<N>}, %t: tensor<3x4x5xf64>, %bias: tensor<21xf32>)
    -> (tensor<?x21xf32>, tensor<?x21xf32>, tensor<13x13xf32>, tensor<3x?x5xf64>, tensor<f32>) {
  %plain = lathe.dot_general %a, %b contract [1] x [0] : tensor<?x13xf32>, tensor<13x21xf32>
  %turned = lathe.dot_general %a, %c contract [1] x [1] : tensor<?x13xf32>, tensor<21x13xf32>
  %biased = lathe.add %turned, %bias : tensor<?x21xf32>, tensor<21xf32>
  %tall = lathe.dot_general %a, %a contract [0] x [0] : tensor<?x13xf32>
  %batched = lathe.dot_general %s, %t contract [2] x [1] batch [0] x [0] : tensor<3x?x4xf64>, tensor<3x4x5xf64>
  %inner = lathe.dot_general %a, %a contract [0, 1] x [0, 1] : tensor<?x13xf32>
  return %plain, %biased, %tall, %batched, %inner
      : tensor<?x21xf32>, tensor<?x21xf32>, tensor<13x13xf32>, tensor<3x?x5xf64>, tensor<f32>
}

func.func @softmax(%x: tensor<?x11xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x11xf32> {
  %largest = lathe.reduce max %x dims [1] : tensor<?x11xf32>
  %wide = lathe.broadcast %largest dims [0] to [N, 11] : tensor<?xf32>
  %shifted = lathe.sub %x, %wide : tensor<?x11xf32>
  %exp = lathe.exp %shifted : tensor<?x11xf32>
  %sum = lathe.reduce sum %exp dims [1] : tensor<?x11xf32>
  %total = lathe.broadcast %sum dims [0] to [N, 11] : tensor<?xf32>
  %y = lathe.div %exp, %total : tensor<?x11xf32>
  return %y : tensor<?x11xf32>
}
