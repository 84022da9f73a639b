// Long bodies in stages: a loop of its own computes a value for a block of points. The results are bit for bit those of one loop, on
// any number of threads, and those of the interpreter.
// RUN: lathec %s --target=x86-64-v3 --emit=mlir --emit-stage=schedule -o - | FileCheck %s
// RUN: rm -rf %t.* && lathec %s --target=x86-64-v3 --explain --emit=none 2>&1 | grep -o 'kernel_[a-z_]*_[0-9a-f]* for x86-64-v3: loops' | sed 's/ for.*/ #lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = []}>/' > %t.schedules
// RUN: lathec %s --target=x86-64-v3 --emit=shared -o %t.so
// RUN: lathec %s --target=x86-64-v3 --schedule=%t.schedules --emit=shared -o %t.whole.so
// RUN: lathe-run %t.so main --random --dim N=1700 --save %t.one
// RUN: lathe-run %t.so main --random --dim N=1700 --threads=3 --save %t.three && diff -r %t.one %t.three
// RUN: lathe-run %t.whole.so main --random --dim N=1700 --save %t.loop && diff -r %t.one %t.loop
// RUN: lathe-run %s main --random --dim N=1700 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %t.so cell --random --save %t.cell && lathe-run %t.whole.so cell --random --save %t.cells && diff -r %t.cell %t.cells
// RUN: lathe-run %s cell --random --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %t.so shifted --random --save %t.part && lathe-run %t.whole.so shifted --random --save %t.parts && diff -r %t.part %t.parts
// RUN: lathe-run %s shifted --random --check --rtol 1e-5 --atol 1e-6

// A tanh waits for a root, and an exp for both: 60 instructions in a chain of 170 cycles. What the sum needs is a stage.
// Rows are whole blocks or not, lines have a named length, and short rows have no stages.
// CHECK-LABEL: func.func @main
// CHECK: loops {fetch = 0, keep = [{{[0-9, ]+}}]
// CHECK: loops {fetch = 0, keep = [{{[0-9, ]+}}]
// CHECK: loops {fetch = 0, keep = [{{[0-9, ]+}}]
// CHECK: loops {fetch = 0, keep = [{{[0-9, ]+}}]
// CHECK: loops {fetch = 0, keep = [{{[0-9, ]+}}]
// CHECK: loops {fetch = 0, keep = []
func.func @main(%x0: tensor<3x1024xf32>, %x1: tensor<5x1000xf32>, %x2: tensor<2x?xf32> {lathe.dims = #lathe.dims<N>}, %x3: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %x4: tensor<4x768xf64>, %x5: tensor<3x100xf32>)
    -> (tensor<3x1024xf32>, tensor<5x1000xf32>, tensor<2x?xf32>, tensor<?xf32>, tensor<4x768xf64>, tensor<3x100xf32>) {
  %a0 = lathe.abs %x0 : tensor<3x1024xf32>
  %r0 = lathe.sqrt %a0 : tensor<3x1024xf32>
  %t0 = lathe.mul %r0, %x0 : tensor<3x1024xf32>
  %b0 = lathe.tanh %t0 : tensor<3x1024xf32>
  %s0 = lathe.add %b0, %r0 : tensor<3x1024xf32>
  %m0 = lathe.neg %s0 : tensor<3x1024xf32>
  %e0 = lathe.exp %m0 : tensor<3x1024xf32>
  %o0 = lathe.mul %e0, %x0 : tensor<3x1024xf32>
  %a1 = lathe.abs %x1 : tensor<5x1000xf32>
  %r1 = lathe.sqrt %a1 : tensor<5x1000xf32>
  %t1 = lathe.mul %r1, %x1 : tensor<5x1000xf32>
  %b1 = lathe.tanh %t1 : tensor<5x1000xf32>
  %s1 = lathe.add %b1, %r1 : tensor<5x1000xf32>
  %m1 = lathe.neg %s1 : tensor<5x1000xf32>
  %e1 = lathe.exp %m1 : tensor<5x1000xf32>
  %o1 = lathe.mul %e1, %x1 : tensor<5x1000xf32>
  %a2 = lathe.abs %x2 : tensor<2x?xf32>
  %r2 = lathe.sqrt %a2 : tensor<2x?xf32>
  %t2 = lathe.mul %r2, %x2 : tensor<2x?xf32>
  %b2 = lathe.tanh %t2 : tensor<2x?xf32>
  %s2 = lathe.add %b2, %r2 : tensor<2x?xf32>
  %m2 = lathe.neg %s2 : tensor<2x?xf32>
  %e2 = lathe.exp %m2 : tensor<2x?xf32>
  %o2 = lathe.mul %e2, %x2 : tensor<2x?xf32>
  %a3 = lathe.abs %x3 : tensor<?xf32>
  %r3 = lathe.sqrt %a3 : tensor<?xf32>
  %t3 = lathe.mul %r3, %x3 : tensor<?xf32>
  %b3 = lathe.tanh %t3 : tensor<?xf32>
  %s3 = lathe.add %b3, %r3 : tensor<?xf32>
  %m3 = lathe.neg %s3 : tensor<?xf32>
  %e3 = lathe.exp %m3 : tensor<?xf32>
  %o3 = lathe.mul %e3, %x3 : tensor<?xf32>
  %a4 = lathe.abs %x4 : tensor<4x768xf64>
  %r4 = lathe.sqrt %a4 : tensor<4x768xf64>
  %t4 = lathe.mul %r4, %x4 : tensor<4x768xf64>
  %b4 = lathe.tanh %t4 : tensor<4x768xf64>
  %s4 = lathe.add %b4, %r4 : tensor<4x768xf64>
  %m4 = lathe.neg %s4 : tensor<4x768xf64>
  %e4 = lathe.exp %m4 : tensor<4x768xf64>
  %o4 = lathe.mul %e4, %x4 : tensor<4x768xf64>
  %a5 = lathe.abs %x5 : tensor<3x100xf32>
  %r5 = lathe.sqrt %a5 : tensor<3x100xf32>
  %t5 = lathe.mul %r5, %x5 : tensor<3x100xf32>
  %b5 = lathe.tanh %t5 : tensor<3x100xf32>
  %s5 = lathe.add %b5, %r5 : tensor<3x100xf32>
  %m5 = lathe.neg %s5 : tensor<3x100xf32>
  %e5 = lathe.exp %m5 : tensor<3x100xf32>
  %o5 = lathe.mul %e5, %x5 : tensor<3x100xf32>
  return %o0, %o1, %o2, %o3, %o4, %o5 : tensor<3x1024xf32>, tensor<5x1000xf32>, tensor<2x?xf32>, tensor<?xf32>, tensor<4x768xf64>, tensor<3x100xf32>
}

// A cell of an LSTM: the new state of the cell is a result, and its tanh a stage later.
// CHECK-LABEL: func.func @cell
// CHECK: loops {fetch = 0, keep = [{{[0-9]+}}], lanes = 8
func.func @cell(%i: tensor<8x512xf32>, %f: tensor<8x512xf32>, %g: tensor<8x512xf32>, %o: tensor<8x512xf32>, %c: tensor<8x512xf32>) -> (tensor<8x512xf32>, tensor<8x512xf32>) {
  %0 = lathe.logistic %i : tensor<8x512xf32>
  %1 = lathe.logistic %f : tensor<8x512xf32>
  %2 = lathe.tanh %g : tensor<8x512xf32>
  %3 = lathe.logistic %o : tensor<8x512xf32>
  %4 = lathe.mul %1, %c : tensor<8x512xf32>
  %5 = lathe.mul %0, %2 : tensor<8x512xf32>
  %6 = lathe.add %4, %5 : tensor<8x512xf32>
  %7 = lathe.tanh %6 : tensor<8x512xf32>
  %8 = lathe.mul %3, %7 : tensor<8x512xf32>
  return %6, %8 : tensor<8x512xf32>, tensor<8x512xf32>
}

// A stage keeps the part of the tanh, which is read at its own points, and not the tanh itself.
// CHECK-LABEL: func.func @shifted
// CHECK: loops {fetch = 0, keep = [3]
func.func @shifted(%x: tensor<4x1024xf32>) -> tensor<4x1000xf32> {
  %0 = lathe.abs %x : tensor<4x1024xf32>
  %1 = lathe.sqrt %0 : tensor<4x1024xf32>
  %2 = lathe.tanh %1 : tensor<4x1024xf32>
  %3 = lathe.slice %2 from [0, 24] to [4, 1024] : tensor<4x1024xf32>
  %4 = lathe.exp %3 : tensor<4x1000xf32>
  return %4 : tensor<4x1000xf32>
}
