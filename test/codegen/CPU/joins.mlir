// Concatenations in place, slices that are views, and loops that begin with arguments and variables: the interpreter's bits, of
// general and specialised sizes, with threads and on every level.
// RUN: lathe-run %s joined --random --dim N=3 --dim M=5 --check --rtol 0 --atol 0
// RUN: lathe-run %s joined --random --dim N=0 --dim M=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s joined --random --dim N=1000 --dim M=2000 --check --rtol 0 --atol 0 --threads 3
// RUN: lathe-run %s joined --random --dim N=3 --dim M=5 --check --rtol 0 --atol 0 --specialize N=3 --specialize M=5
// RUN: lathe-run %s joined --random --dim N=3 --dim M=5 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s joined --random --dim N=3 --dim M=5 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s inside --random --dim N=4 --check --rtol 0 --atol 0
// RUN: lathe-run %s inside --random --dim N=0 --check --rtol 0 --atol 0
// RUN: lathe-run %s inside --random --dim N=4 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s inside --random --dim N=70 --check --rtol 0 --atol 0 --threads 2 --target x86-64-v3
// RUN: lathe-run %s steps --random --dim N=0 --check --rtol 0 --atol 0
// RUN: lathe-run %s steps --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s steps --random --dim N=2 --check --rtol 0 --atol 0
// RUN: lathe-run %s steps --random --dim N=3 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s steps --random --dim N=3 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s steps --random --dim N=3 --check --rtol 0 --atol 0 --specialize N=3
// RUN: lathe-run %s decode --random --dim N=5 --check --rtol 0 --atol 0 --save-state %t.safetensors
// RUN: lathe-run %s decode --random --dim N=2 --check --rtol 0 --atol 0 --load-state %t.safetensors --save-state %t.safetensors
// RUN: lathe-run %s decode --random --dim N=0 --check --rtol 0 --atol 0 --load-state %t.safetensors
// RUN: lathec %s -o %t.o --explain 2>&1 | FileCheck %s

// CHECK-DAG: [plan] @joined: 2 of 2 operands of the concatenation are written in place
// CHECK-DAG: [plan] @joined: 1 of 3 operands of the concatenation are written in place
// CHECK-DAG: [plan] @joined: the slice is a view of its operand
// CHECK-DAG: [plan] @joined: the concatenation is a copy: no operand that a kernel makes only for it is at a multiple of 64 bytes
func.func @joined(%x: tensor<?x64xi32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x64xi32> {lathe.dims = #lathe.dims<M>},
                  %v: tensor<5x3xi8>) -> (tensor<?x64xi32>, tensor<?x64xi32>, tensor<1x?x64xi32>, tensor<30x3xi8>) {
  %a = lathe.cumulative sum %x dim 1 : tensor<?x64xi32>
  %b = lathe.cumulative sum %y dim 0 : tensor<?x64xi32>
  %c = lathe.concatenate %a, %b dim 0 : tensor<?x64xi32>, tensor<?x64xi32>
  %d = lathe.cumulative sum %c dim 1 : tensor<?x64xi32>
  %e = lathe.reshape %d to [1, N + M, 64] : tensor<?x64xi32>
  %x1 = lathe.reshape %x to [1, N, 64] : tensor<?x64xi32>
  %f = lathe.concatenate %x1, %e, %x1 dim 1 : tensor<1x?x64xi32>, tensor<1x?x64xi32>, tensor<1x?x64xi32>
  %g = lathe.slice %f from [0, N, 0] to [1, 2 * N + M, 64] : tensor<1x?x64xi32>
  %h = lathe.cumulative sum %g dim 2 : tensor<1x?x64xi32>
  %i = lathe.reshape %h to [N + M, 64] : tensor<1x?x64xi32>
  %s = lathe.cumulative sum %v dim 0 : tensor<5x3xi8>
  %t = lathe.concatenate %s, %v, %s, %v, %s, %s dim 0 : tensor<5x3xi8>, tensor<5x3xi8>, tensor<5x3xi8>, tensor<5x3xi8>, tensor<5x3xi8>, tensor<5x3xi8>
  return %c, %i, %f, %t : tensor<?x64xi32>, tensor<?x64xi32>, tensor<1x?x64xi32>, tensor<30x3xi8>
}

// Parts of a branch's result, of a stack's slots and of a carry with two buffers; branches and stacks that are parts.
func.func @inside(%p: tensor<i1>, %x: tensor<2x16xi32>, %xs: tensor<?x16xi32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<6x16xi32>, tensor<?x2x16xi32>, tensor<?x16xi32>) {
  %r = lathe.if %p -> tensor<2x16xi32> {
    %n = lathe.cumulative sum %x dim 0 : tensor<2x16xi32>
    %s = lathe.slice %n from [1, 0] to [2, 16] : tensor<2x16xi32>
    %a = lathe.cumulative sum %s dim 1 : tensor<1x16xi32>
    %c = lathe.concatenate %a, %s dim 0 : tensor<1x16xi32>, tensor<1x16xi32>
    lathe.yield %c : tensor<2x16xi32>
  } else {
    %n = lathe.reverse %x dims [0] : tensor<2x16xi32>
    lathe.yield %n : tensor<2x16xi32>
  }
  %q = lathe.cumulative sum %r dim 1 : tensor<2x16xi32>
  %c = lathe.concatenate %r, %q, %x dim 0 : tensor<2x16xi32>, tensor<2x16xi32>, tensor<2x16xi32>
  %sum, %stack, %flat = lathe.scan carry(%h = %x : tensor<2x16xi32>) over(%row = %xs : tensor<?x16xi32>)
      -> (tensor<2x16xi32>, tensor<?x2x16xi32>, tensor<?x16xi32>) {
    %one = lathe.reshape %row to [1, 16] : tensor<16xi32>
    %two = lathe.cumulative sum %one dim 1 : tensor<1x16xi32>
    %both = lathe.concatenate %one, %two dim 0 : tensor<1x16xi32>, tensor<1x16xi32>
    %low = lathe.reverse %h dims [0, 1] : tensor<2x16xi32>
    %next = lathe.max %low, %both : tensor<2x16xi32>
    %top = lathe.reduce max %h dims [0] : tensor<2x16xi32>
    lathe.yield carry(%next : tensor<2x16xi32>) collect(%both : tensor<2x16xi32>, %top : tensor<16xi32>)
  }
  %all = lathe.concatenate %flat, %sum dim 0 : tensor<?x16xi32>, tensor<2x16xi32>
  return %c, %stack, %all : tensor<6x16xi32>, tensor<?x2x16xi32>, tensor<?x16xi32>
}

// Carries that begin with an argument, a constant, a part and a slice of an outer loop. No step, one, and more.
func.func @steps(%x: tensor<8x8xf32>, %xs: tensor<?x8x8xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<?x8x8xf32>) {
  %ones = lathe.constant dense<1.0> : tensor<8x8xf32>
  %a, %b, %c = lathe.scan carry(%a = %x : tensor<8x8xf32>, %b = %ones : tensor<8x8xf32>) over(%s = %xs : tensor<?x8x8xf32>)
      -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<?x8x8xf32>) {
    %t = lathe.transpose %a [1, 0] : tensor<8x8xf32>
    %next = lathe.reverse %t dims [0] : tensor<8x8xf32>
    %inner = lathe.scan carry(%g = %s : tensor<8x8xf32>) trip N -> tensor<8x8xf32> {
      %u = lathe.transpose %g [1, 0] : tensor<8x8xf32>
      %m = lathe.max %u, %x : tensor<8x8xf32>
      lathe.yield carry(%m : tensor<8x8xf32>)
    }
    %v = lathe.transpose %b [1, 0] : tensor<8x8xf32>
    %w = lathe.min %v, %inner : tensor<8x8xf32>
    lathe.yield carry(%next : tensor<8x8xf32>, %w : tensor<8x8xf32>) collect(%inner : tensor<8x8xf32>)
  }
  return %a, %b, %c : tensor<8x8xf32>, tensor<8x8xf32>, tensor<?x8x8xf32>
}

// All steps write the variable.
// CHECK: [plan] @decode: @cache is updated in place by all steps of the loop
lathe.variable @cache : tensor<8x16xf32> init #lathe.fill<0.5>
lathe.variable @next : tensor<i32> init #lathe.zeros
func.func @decode(%xs: tensor<?x1x16xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<16xf32>, tensor<8x16xf32>) {
  %cache = lathe.read @cache : tensor<8x16xf32>
  %first = lathe.read @next : tensor<i32>
  %all, %i = lathe.scan carry(%old = %cache : tensor<8x16xf32>, %i = %first : tensor<i32>) over(%x = %xs : tensor<?x1x16xf32>)
      -> (tensor<8x16xf32>, tensor<i32>) {
    %zero = lathe.constant dense<0> : tensor<i32>
    %one = lathe.constant dense<1> : tensor<i32>
    %new = lathe.dynamic_update_slice %old, %x [%i, %zero] : tensor<8x16xf32>, tensor<1x16xf32>, (tensor<i32>, tensor<i32>)
    %more = lathe.add %i, %one : tensor<i32>
    lathe.yield carry(%new : tensor<8x16xf32>, %more : tensor<i32>)
  }
  lathe.write @cache, %all : tensor<8x16xf32>
  lathe.write @next, %i : tensor<i32>
  %top = lathe.reduce max %all dims [0] : tensor<8x16xf32>
  return %top, %all : tensor<16xf32>, tensor<8x16xf32>
}
