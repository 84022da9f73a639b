// Shifts by amounts that are negative or as large as the type is wide, whose low 32 bits are small.
// RUN: lathe-run %s amounts --output x=@%t.x.npy --output n=@%t.n.npy
// RUN: lathe-run %s shifts --input x=@%t.x.npy --input n=@%t.n.npy | FileCheck %s
// RUN: %cuda lathe-run %s shifts --input x=@%t.x.npy --input n=@%t.n.npy --target=cuda:sm_80 | FileCheck %s
// CHECK: left: i64[5]{{.*}}: 2 0 0 0 0
// CHECK: right: i64[5]{{.*}}: 0 0 0 0 1
// CHECK: sign: i64[5]{{.*}}: 0 0 -1 0 -1

func.func @amounts() -> (tensor<5xi64> {lathe.name = "x"}, tensor<5xi64> {lathe.name = "n"}) {
  %x = lathe.constant dense<[1, 1, -1, 4, -9223372036854775808]> : tensor<5xi64>
  %n = lathe.constant dense<[1, -9223372036854775808, -9223372036854775808, 8589934592, 63]> : tensor<5xi64>
  return %x, %n : tensor<5xi64>, tensor<5xi64>
}
func.func @shifts(%x: tensor<5xi64>, %n: tensor<5xi64>)
    -> (tensor<5xi64> {lathe.name = "left"}, tensor<5xi64> {lathe.name = "right"}, tensor<5xi64> {lathe.name = "sign"}) {
  %left = lathe.shift_left %x, %n : tensor<5xi64>
  %right = lathe.shift_right %x, %n : tensor<5xi64>
  %sign = lathe.shift_right_arithmetic %x, %n : tensor<5xi64>
  return %left, %right, %sign : tensor<5xi64>, tensor<5xi64>, tensor<5xi64>
}
