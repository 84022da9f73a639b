// RUN: lathe-opt %s --lathe-expand-std --verify-diagnostics

func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{lathe.std.softmax: operand 0 'x' must be a float tensor, got 'tensor<4xi32>'}}
  %0 = lathe.std.softmax %x dim 0 : tensor<4xi32>
  return %0 : tensor<4xi32>
}
