// A loop whose length data decides, on a device: steps are launched ahead in chunks of 2, 8 and 32, those that are not to run end at
// once, and the host reads the chunk's conditions once.
// RUN: lathec %s --target=cuda:sm_90 --emit=llvm -o - | FileCheck --check-prefix=HOST %s
// RUN: sh -c 'for n in 0 1 2 3 9 10 11 12 41 42 43 100; do %cuda lathe-run %s halve --random --input limit=$n --target=cuda:sm_90 --check --rtol 1e-5 || exit 1; done'
// RUN: sh -c 'for n in 0 1 4 5 6 7; do %cuda lathe-run %s bounded --input n=$n --target=cuda:sm_90 --check || exit 1; done'
// RUN: not %cuda lathe-run %s bounded --input n=8 --target=cuda:sm_90 2>&1 | FileCheck --check-prefix=BOUND %s
// RUN: not %cuda lathe-run %s bounded --input n=800 --target=cuda:sm_90 2>&1 | FileCheck --check-prefix=BOUND %s
// BOUND: loops.mlir:[[#]]:{{.*}}lathe.while{{.*}}bound
// RUN: sh -c 'for n in 0 1 3 5; do %cuda lathe-run %s nested --input n=$n --target=cuda:sm_90 --check || exit 1; done'
// RUN: sh -c 'for n in 0 1 2 3 4 9 10 11 50; do %cuda lathe-run %s carried --input n=$n --target=cuda:sm_90 --check || exit 1; done'
// RUN: sh -c 'for n in 0 1 2 7 20; do %cuda lathe-run %s inside --random --input n=$n --target=cuda:sm_90 --check --rtol 1e-5 || exit 1; done'

// The same from recorded graphs, of which a call that comes again has one for each length of a chunk; and with what differs between
// calls: results are those of the interpreter each time.
// RUN: rm -f %t.log && env LATHE_STANDIN_LOG=%t.log %cuda lathe-run %s bounded --input n=7 --target=cuda:sm_90 --benchmark=0.01 --check > %t.times
// RUN: FileCheck --check-prefix=LOG %s < %t.log
// LOG: graph launch

// HOST-LABEL: define {{.*}}halve.device.general
// HOST: icmp eq <32 x i8>

// Two carries that change roles: which buffer has the result depends on how many steps ran.
func.func @halve(%x: tensor<8xf32>, %limit: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<i32>) {
  %zero = lathe.constant dense<0> : tensor<i32>
  %r:3 = lathe.while carry(%a = %x : tensor<8xf32>, %b = %x : tensor<8xf32>, %i = %zero : tensor<i32>) {
    %go = lathe.compare lt %i, %limit : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %one = lathe.constant dense<1> : tensor<i32>
    %half = lathe.constant dense<0.5> : tensor<f32>
    %s = lathe.sub %b, %a : tensor<8xf32>
    %sum = lathe.cumulative sum %s dim 0 : tensor<8xf32>
    %h = lathe.mul %sum, %half : tensor<8xf32>, tensor<f32>
    %c = lathe.reverse %h dims [0] : tensor<8xf32>
    %d = lathe.add %c, %x : tensor<8xf32>
    %j = lathe.add %i, %one : tensor<i32>
    lathe.yield carry(%b : tensor<8xf32>, %d : tensor<8xf32>, %j : tensor<i32>)
  }
  return %r#0, %r#1, %r#2 : tensor<8xf32>, tensor<8xf32>, tensor<i32>
}

// At its bound the loop evaluates the condition once more.
func.func @bounded(%n: tensor<i32>) -> tensor<i32> {
  %zero = lathe.constant dense<0> : tensor<i32>
  %r:2 = lathe.while carry(%i = %zero : tensor<i32>, %s = %zero : tensor<i32>) bound 7 {
    %go = lathe.compare lt %i, %n : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %one = lathe.constant dense<1> : tensor<i32>
    %j = lathe.add %i, %one : tensor<i32>
    %t = lathe.add %s, %j : tensor<i32>
    lathe.yield carry(%j : tensor<i32>, %t : tensor<i32>)
  }
  return %r#1 : tensor<i32>
}

// The inner loop launches ahead, the outer one is the host's.
func.func @nested(%n: tensor<i32>) -> tensor<i32> {
  %zero = lathe.constant dense<0> : tensor<i32>
  %r:2 = lathe.while carry(%i = %zero : tensor<i32>, %s = %zero : tensor<i32>) {
    %go = lathe.compare lt %i, %n : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %one = lathe.constant dense<1> : tensor<i32>
    %j = lathe.add %i, %one : tensor<i32>
    %none = lathe.constant dense<0> : tensor<i32>
    %in:2 = lathe.while carry(%k = %none : tensor<i32>, %t = %s : tensor<i32>) {
      %goes = lathe.compare lt %k, %j : tensor<i32>
      lathe.condition %goes : tensor<i1>
    } do {
      %once = lathe.constant dense<1> : tensor<i32>
      %l = lathe.add %k, %once : tensor<i32>
      %u = lathe.add %t, %j : tensor<i32>
      lathe.yield carry(%l : tensor<i32>, %u : tensor<i32>)
    }
    lathe.yield carry(%j : tensor<i32>, %in#1 : tensor<i32>)
  }
  return %r#1 : tensor<i32>
}

// A condition that is a carry: kernels look at two steps, since those that do not run see its two places in turns.
func.func @carried(%n: tensor<i32>) -> tensor<i32> {
  %zero = lathe.constant dense<0> : tensor<i32>
  %first = lathe.compare gt %n, %zero : tensor<i32>
  %r:2 = lathe.while carry(%on = %first : tensor<i1>, %i = %zero : tensor<i32>) {
    lathe.condition %on : tensor<i1>
  } do {
    %one = lathe.constant dense<1> : tensor<i32>
    %j = lathe.add %i, %one : tensor<i32>
    %still = lathe.compare lt %j, %n : tensor<i32>
    lathe.yield carry(%still : tensor<i1>, %j : tensor<i32>)
  }
  return %r#1 : tensor<i32>
}

// A branch and a loop of known length in the steps, a sum in the condition.
func.func @inside(%x: tensor<3x5xf32>, %n: tensor<i32>) -> tensor<5xf32> {
  %zero = lathe.constant dense<0> : tensor<i32>
  %start = lathe.constant dense<0.0> : tensor<5xf32>
  %r:2 = lathe.while carry(%i = %zero : tensor<i32>, %s = %start : tensor<5xf32>) {
    %sum = lathe.reduce sum %s dims [0] : tensor<5xf32>
    %most = lathe.constant dense<1.0e6> : tensor<f32>
    %small = lathe.compare lt %sum, %most : tensor<f32>
    %more = lathe.compare lt %i, %n : tensor<i32>
    %go = lathe.and %small, %more : tensor<i1>
    lathe.condition %go : tensor<i1>
  } do {
    %one = lathe.constant dense<1> : tensor<i32>
    %two = lathe.constant dense<2> : tensor<i32>
    %none = lathe.constant dense<0> : tensor<i32>
    %j = lathe.add %i, %one : tensor<i32>
    %left = lathe.rem %j, %two : tensor<i32>
    %odd = lathe.compare ne %left, %none : tensor<i32>
    %t = lathe.if %odd -> tensor<5xf32> {
      %last = lathe.scan carry(%c = %s : tensor<5xf32>) over(%row = %x : tensor<3x5xf32>) -> tensor<5xf32> {
        %d = lathe.add %c, %row : tensor<5xf32>
        lathe.yield carry(%d : tensor<5xf32>)
      }
      lathe.yield %last : tensor<5xf32>
    } else {
      %e = lathe.exp %s : tensor<5xf32>
      lathe.yield %e : tensor<5xf32>
    }
    lathe.yield carry(%j : tensor<i32>, %t : tensor<5xf32>)
  }
  return %r#1 : tensor<5xf32>
}
