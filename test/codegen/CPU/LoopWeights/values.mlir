// Products of loops whose weights are packed before the loop, against the interpreter and with the bits of products that read them
// where they are, as under a budget of memory: ragged columns, weights that are inputs, transposed, shared and computed, doubles
// and integers, named, few and many rows, long sums, loops in loops and branches, levels and threads.
// RUN: rm -rf %t && mkdir -p %t
// RUN: lathec %s --explain --emit=none --target=x86-64-v3 2>&1 | FileCheck %s --check-prefix=PACKED
// PACKED-COUNT-11: the weights are packed before the loop, in panels of
// PACKED-NOT: the weights are packed before the loop, in panels of
// RUN: lathe-run %s main --random --dim M=70 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s main --random --dim M=1 --check --rtol 1e-4 --atol 1e-5 --threads 2
// RUN: lathe-run %s main --random --dim M=11 --check --rtol 1e-4 --atol 1e-5 --target=x86-64-v2 --threads 3
// RUN: lathe-run %s main --random --dim M=11 --check --rtol 1e-4 --atol 1e-5 -O 0
// RUN: lathec %s --mem-budget=1GB:M=99 --target=x86-64-v3 -o %t/plain.o
// RUN: lathe-run %t/plain.o main --random --dim M=37 --save %t/plain > %t/log
// RUN: lathe-run %s main --random --dim M=37 --target=x86-64-v3 --save %t/panels > %t/log
// RUN: lathe-run %s main --random --dim M=37 --target=x86-64-v3 --threads 3 --save %t/threads > %t/log
// RUN: lathe-run %s main --random --dim M=37 --target=x86-64-v2,x86-64-v3,x86-64-v4 --save %t/levels > %t/log
// RUN: lathe-run %s main --random --dim M=37 --specialize M=37 --save %t/version > %t/log
// RUN: lathec %s --mem-budget=1GB:M=99 --target=x86-64-v2 -o %t/plain2.o
// RUN: lathe-run %t/plain2.o main --random --dim M=37 --save %t/plain2 > %t/log
// RUN: lathe-run %s main --random --dim M=37 --target=x86-64-v2 --threads 3 --save %t/panels2 > %t/log
// RUN: %python %S/../Contraction/Inputs/same.py %t/plain %t/panels %t/threads %t/levels %t/version
// RUN: %python %S/../Contraction/Inputs/same.py %t/plain2 %t/panels2

func.func @main(%h0: tensor<?x96xf32> {lathe.dims = #lathe.dims<M>}, %xs: tensor<13x?x200xf32> {lathe.dims = #lathe.dims<M>},
                %u: tensor<96x200xf32>, %v: tensor<96x200xf32>, %d0: tensor<19x90xf64>, %du: tensor<90x90xf64>,
                %i0: tensor<40x90xi32>, %iu: tensor<90x101xi32>, %deep0: tensor<3x1500xf32>, %deep: tensor<1500x97xf32>,
                %back: tensor<97x1500xf32>, %line0: tensor<1x64xf32>, %lines: tensor<64x1024xf32>, %count: tensor<i32>, %choice: tensor<i1>)
    -> (tensor<?x96xf32>, tensor<13x?x96xf32>, tensor<13x?x200xf32>, tensor<19x90xf64>, tensor<40x90xi32>, tensor<3x1500xf32>, tensor<1x64xf32>,
        tensor<?x96xf32>, tensor<?x200xf32>, tensor<?x96xf32>) {
  // Small factors keep rounding errors from growing from step to step.
  %small = lathe.constant dense<0.03> : tensor<f32>
  %smalld = lathe.constant dense<0.1> : tensor<f64>
  // A recurrent cell: a matrix as it is, one that is read by columns, and the first one again.
  // What is collected keeps two products from running in strips together, whose weights stay where they are.
  %h, %hs, %ps = lathe.scan carry(%h = %h0 : tensor<?x96xf32>) over(%x = %xs : tensor<13x?x200xf32>)
      -> (tensor<?x96xf32>, tensor<13x?x96xf32>, tensor<13x?x200xf32>) {
    %p0 = lathe.dot_general %h, %u contract [1] x [0] : tensor<?x96xf32>, tensor<96x200xf32>
    %p = lathe.mul %p0, %small : tensor<?x200xf32>, tensor<f32>
    %q = lathe.add %p, %x : tensor<?x200xf32>
    %r = lathe.tanh %q : tensor<?x200xf32>
    %s0 = lathe.dot_general %r, %v contract [1] x [1] : tensor<?x200xf32>, tensor<96x200xf32>
    %s = lathe.mul %s0, %small : tensor<?x96xf32>, tensor<f32>
    %t = lathe.tanh %s : tensor<?x96xf32>
    %again0 = lathe.dot_general %t, %u contract [1] x [0] : tensor<?x96xf32>, tensor<96x200xf32>
    %again = lathe.mul %again0, %small : tensor<?x200xf32>, tensor<f32>
    %cut = lathe.slice %again from [0, 100] to [M, 196] : tensor<?x200xf32>
    %next = lathe.tanh %cut : tensor<?x96xf32>
    lathe.yield carry(%next : tensor<?x96xf32>) collect(%t : tensor<?x96xf32>, %r : tensor<?x200xf32>)
  }
  // Doubles, and integers whose sums overflow.
  %d = lathe.scan carry(%s = %d0 : tensor<19x90xf64>) trip 12 -> (tensor<19x90xf64>) {
    %p0 = lathe.dot_general %s, %du contract [1] x [0] : tensor<19x90xf64>, tensor<90x90xf64>
    %p = lathe.mul %p0, %smalld : tensor<19x90xf64>, tensor<f64>
    %next = lathe.tanh %p : tensor<19x90xf64>
    lathe.yield carry(%next : tensor<19x90xf64>)
  }
  %i = lathe.scan carry(%s = %i0 : tensor<40x90xi32>) trip 12 -> (tensor<40x90xi32>) {
    %p = lathe.dot_general %s, %iu contract [1] x [0] : tensor<40x90xi32>, tensor<90x101xi32>
    %next = lathe.slice %p from [0, 11] to [40, 101] : tensor<40x101xi32>
    lathe.yield carry(%next : tensor<40x90xi32>)
  }
  // Sums of several chains of a few rows.
  %wide = lathe.scan carry(%s = %deep0 : tensor<3x1500xf32>) trip 12 -> (tensor<3x1500xf32>) {
    %p0 = lathe.dot_general %s, %deep contract [1] x [0] : tensor<3x1500xf32>, tensor<1500x97xf32>
    %p = lathe.mul %p0, %small : tensor<3x97xf32>, tensor<f32>
    %t = lathe.tanh %p : tensor<3x97xf32>
    %q0 = lathe.dot_general %t, %back contract [1] x [0] : tensor<3x97xf32>, tensor<97x1500xf32>
    %q = lathe.mul %q0, %small : tensor<3x1500xf32>, tensor<f32>
    %next = lathe.tanh %q : tensor<3x1500xf32>
    lathe.yield carry(%next : tensor<3x1500xf32>)
  }
  // One row, which columns of 4096 bytes would read in another form.
  %line = lathe.scan carry(%s = %line0 : tensor<1x64xf32>) trip 48 -> (tensor<1x64xf32>) {
    %p0 = lathe.dot_general %s, %lines contract [1] x [0] : tensor<1x64xf32>, tensor<64x1024xf32>
    %p = lathe.mul %p0, %small : tensor<1x1024xf32>, tensor<f32>
    %cut = lathe.slice %p from [0, 960] to [1, 1024] : tensor<1x1024xf32>
    %next = lathe.cos %cut : tensor<1x64xf32>
    lathe.yield carry(%next : tensor<1x64xf32>)
  }
  // Loops in loops and in branches: weights that the outer loop computes are packed in each of its steps.
  %zero = lathe.constant dense<0> : tensor<i32>
  %x1 = lathe.slice %xs from [0, 0, 0] to [1, M, 200] : tensor<13x?x200xf32>
  %x0 = lathe.reshape %x1 to [M, 200] : tensor<1x?x200xf32>
  %inner, %between = lathe.if %choice -> (tensor<?x96xf32>, tensor<?x200xf32>) {
    %n, %o = lathe.scan carry(%s = %h0 : tensor<?x96xf32>, %o = %x0 : tensor<?x200xf32>) over(%x = %xs : tensor<13x?x200xf32>)
        -> (tensor<?x96xf32>, tensor<?x200xf32>) {
      %scaled = lathe.tanh %u : tensor<96x200xf32>
      %more = lathe.reduce sum %x dims [0, 1] : tensor<?x200xf32>
      %moved = lathe.add %scaled, %more : tensor<96x200xf32>, tensor<f32>
      %m, %q0, %steps = lathe.while carry(%y = %s : tensor<?x96xf32>, %q1 = %o : tensor<?x200xf32>, %k = %zero : tensor<i32>) {
        %few = lathe.constant dense<3> : tensor<i32>
        %go = lathe.compare lt %k, %few : tensor<i32>
        lathe.condition %go : tensor<i1>
      } do {
        %p0 = lathe.dot_general %y, %moved contract [1] x [0] : tensor<?x96xf32>, tensor<96x200xf32>
        %p = lathe.mul %p0, %small : tensor<?x200xf32>, tensor<f32>
        %q = lathe.tanh %p : tensor<?x200xf32>
        %r0 = lathe.dot_general %q, %v contract [1] x [1] : tensor<?x200xf32>, tensor<96x200xf32>
        %r = lathe.mul %r0, %small : tensor<?x96xf32>, tensor<f32>
        %next = lathe.tanh %r : tensor<?x96xf32>
        %one = lathe.constant dense<1> : tensor<i32>
        %k1 = lathe.add %k, %one : tensor<i32>
        lathe.yield carry(%next : tensor<?x96xf32>, %q : tensor<?x200xf32>, %k1 : tensor<i32>)
      }
      lathe.yield carry(%m : tensor<?x96xf32>, %q0 : tensor<?x200xf32>)
    }
    lathe.yield %n, %o : tensor<?x96xf32>, tensor<?x200xf32>
  } else {
    lathe.yield %h0, %x0 : tensor<?x96xf32>, tensor<?x200xf32>
  }
  // A loop without steps.
  %none, %left = lathe.while carry(%y = %h0 : tensor<?x96xf32>, %k = %zero : tensor<i32>) {
    %go = lathe.compare gt %k, %count : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %p = lathe.dot_general %y, %v contract [1] x [0] : tensor<?x96xf32>, tensor<96x200xf32>
    %next = lathe.slice %p from [0, 0] to [M, 96] : tensor<?x200xf32>
    lathe.yield carry(%next : tensor<?x96xf32>, %count : tensor<i32>)
  }
  return %h, %hs, %ps, %d, %i, %wide, %line, %inner, %between, %none
    : tensor<?x96xf32>, tensor<13x?x96xf32>, tensor<13x?x200xf32>, tensor<19x90xf64>, tensor<40x90xi32>, tensor<3x1500xf32>, tensor<1x64xf32>,
      tensor<?x96xf32>, tensor<?x200xf32>, tensor<?x96xf32>
}
