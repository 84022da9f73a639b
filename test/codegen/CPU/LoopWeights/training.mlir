// Training steps of an LSTM, whose weights are variables: the loop and its derivative read them in panels, transposed and as they
// are. Steps have the bits of products that read them where they are, as under a budget of memory.
// RUN: rm -rf %t && mkdir -p %t/plain %t/panels %t/threads %t/open %t/general %t/version
// RUN: lathec %s --entry=train --explain --emit=none --target=x86-64-v3 2>&1 | FileCheck %s --check-prefix=PACKED
// PACKED-COUNT-6: the weights are packed before the loop, in panels of
// PACKED-NOT: the weights are packed before the loop, in panels of
// RUN: lathe-run %s train --random --dim N=5 --check --rtol 1e-3 --atol 1e-5
// RUN: lathec %s --dim N=5 --mem-budget=1GB --target=x86-64-v3 -o %t/fixed.o
// RUN: lathe-run %t/fixed.o train --random --save %t/plain --save-state %t/plain/state > %t/log
// RUN: lathe-run %s train --random --dim N=5 --target=x86-64-v3 --save %t/panels --save-state %t/panels/state > %t/log
// RUN: lathe-run %s train --random --dim N=5 --target=x86-64-v3 --threads 3 --save %t/threads --save-state %t/threads/state > %t/log
// RUN: %python %S/../Contraction/Inputs/same.py %t/plain %t/panels %t/threads && cmp %t/plain/state %t/panels/state && cmp %t/plain/state %t/threads/state

// Of a named number of rows, the general version and one of five rows. The derivative keeps its sums in the loop then.
// RUN: lathec %s --mem-budget=1GB:N=99 --target=x86-64-v3 -o %t/open.o
// RUN: lathe-run %t/open.o train --input xs=@%t/plain/in-xs.npy --save %t/open --save-state %t/open/state > %t/log
// RUN: lathe-run %s train --input xs=@%t/plain/in-xs.npy --target=x86-64-v3 --save %t/general --save-state %t/general/state > %t/log
// RUN: lathe-run %s train --input xs=@%t/plain/in-xs.npy --specialize N=5 --threads 3 --save %t/version --save-state %t/version/state > %t/log
// RUN: %python %S/../Contraction/Inputs/same.py %t/open %t/general %t/version && cmp %t/open/state %t/general/state && cmp %t/open/state %t/version/state
// RUN: lathe-run %s loss --random --dim N=3 --gradcheck

lathe.variable @u : tensor<160x40xf32> init #lathe.uniform<-0.3, 0.3>
lathe.variable @b : tensor<160xf32> init #lathe.zeros

func.func @loss(%xs: tensor<13x?x160xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f32> {
  %u = lathe.read @u : tensor<160x40xf32>
  %b = lathe.read @b : tensor<160xf32>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %start = lathe.broadcast %zero dims [] to [N, 40] : tensor<f32>
  %h, %c = lathe.scan carry(%h = %start : tensor<?x40xf32>, %c = %start : tensor<?x40xf32>) over(%x = %xs : tensor<13x?x160xf32>)
      -> (tensor<?x40xf32>, tensor<?x40xf32>) {
    %hu = lathe.dot_general %h, %u contract [1] x [1] : tensor<?x40xf32>, tensor<160x40xf32>
    %sum = lathe.add %hu, %x : tensor<?x160xf32>
    %z = lathe.add %sum, %b : tensor<?x160xf32>, tensor<160xf32>
    %zi = lathe.slice %z from [0, 0] to [N, 40] : tensor<?x160xf32>
    %zo = lathe.slice %z from [0, 40] to [N, 80] : tensor<?x160xf32>
    %zf = lathe.slice %z from [0, 80] to [N, 120] : tensor<?x160xf32>
    %zg = lathe.slice %z from [0, 120] to [N, 160] : tensor<?x160xf32>
    %i = lathe.logistic %zi : tensor<?x40xf32>
    %o = lathe.logistic %zo : tensor<?x40xf32>
    %f = lathe.logistic %zf : tensor<?x40xf32>
    %g = lathe.tanh %zg : tensor<?x40xf32>
    %kept = lathe.mul %f, %c : tensor<?x40xf32>
    %new = lathe.mul %i, %g : tensor<?x40xf32>
    %next = lathe.add %kept, %new : tensor<?x40xf32>
    %t = lathe.tanh %next : tensor<?x40xf32>
    %y = lathe.mul %o, %t : tensor<?x40xf32>
    lathe.yield carry(%y : tensor<?x40xf32>, %next : tensor<?x40xf32>)
  }
  %squares = lathe.mul %h, %h : tensor<?x40xf32>
  %loss = lathe.reduce sum %squares dims [0, 1] : tensor<?x40xf32>
  return %loss : tensor<f32>
}

func.func @train(%xs: tensor<13x?x160xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %1 = lathe.minimize @loss(%xs) with sgd<learning_rate = 0.1, momentum = 0.9> : (tensor<13x?x160xf32>) -> tensor<f32>
  %2 = lathe.minimize @loss(%xs) with sgd<learning_rate = 0.1, momentum = 0.9> : (tensor<13x?x160xf32>) -> tensor<f32>
  %3 = lathe.minimize @loss(%xs) with sgd<learning_rate = 0.1, momentum = 0.9> : (tensor<13x?x160xf32>) -> tensor<f32>
  return %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>
}
