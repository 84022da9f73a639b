// Names that C cannot spell: they are given as in the graph or as in the header, and are compared with the interpreter's.
// RUN: lathe-run %s --input in.x=3 --input 2nd=4 --check --output out.y=@%t.npy | FileCheck %s
// RUN: lathe-run %s --input in_x=3 --input 2nd=4 --expect out.y=-3 --expect 2=-7 | FileCheck %s --check-prefix=EXPECT
// RUN: lathe-run %s --input in.x=3 --input 2nd=4 --interpret | FileCheck %s --check-prefix=INTERPRET
// RUN: not lathe-run %s --input in-y=3 2>&1 | FileCheck %s --check-prefix=WRONG
// CHECK: check: as interpreted: result 'out_y' bit for bit, result 'out2' bit for bit
// EXPECT: expect: result 'out_y' as expected
// INTERPRET: out_y: f32[1] {{.*}}: -3
// WRONG: error: 'in_y': @f has no such input; it has in_x, arg2nd
func.func @f(%x: tensor<1xf32> {lathe.name = "in.x"}, %z: tensor<1xf32> {lathe.name = "2nd"})
    -> (tensor<1xf32> {lathe.name = "out.y"}, tensor<1xf32> {lathe.name = "2"}) {
  %y = lathe.neg %x : tensor<1xf32>
  %w = lathe.sub %y, %z : tensor<1xf32>
  return %y, %w : tensor<1xf32>, tensor<1xf32>
}
