// RUN: lathe-opt %s --lathe-inline --split-input-file -verify-diagnostics

// expected-note @+1 {{@a is declared here}}
func.func private @a(%x: tensor<4xf32>) {
  func.call @b(%x) : (tensor<4xf32>) -> ()
  return
}
func.func private @b(%x: tensor<4xf32>) {
  // expected-error @+1 {{@a calls itself through this call; recursion is not supported}}
  func.call @a(%x) : (tensor<4xf32>) -> ()
  return
}
func.func @recursion(%x: tensor<4xf32>) {
  func.call @b(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func private @external(tensor<4xf32>)
func.func @no_body(%x: tensor<4xf32>) {
  // expected-error @+1 {{@external has no body; define every called function in the graph}}
  func.call @external(%x) : (tensor<4xf32>) -> ()
  return
}
