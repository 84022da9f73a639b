// Plans that are wrong on purpose: the verifier, which knows nothing of how plans are made, finds each.
// RUN: lathe-opt %s --lathe-verify-plan -split-input-file -verify-diagnostics

func.func @overlap(%x: tensor<32xf32>) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<256>} {
  // expected-error @+1 {{plan: buffer [0, 128) overlaps a live one}}
  %0 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  // expected-note @+1 {{the other buffer is [64, 192)}}
  %1 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <64>>]} {
    %n = lathe.abs %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  %2 = lathe.kernel(%a = %0 : tensor<32xf32>, %b = %1 : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.add %a, %b : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  return %2 : tensor<32xf32>
}

// -----

func.func @outside(%x: tensor<?xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> attributes {lathe.workspace = #lathe.dim<4 * N>} {
  // expected-error @+1 {{is misaligned or outside of the 4 bytes of workspace}}
  %0 = lathe.kernel(%a = %x : tensor<?xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <64>>]} {
    %n = lathe.neg %a : tensor<?xf32, #lathe.dims<N>>
    lathe.yield %n : tensor<?xf32, #lathe.dims<N>>
  }
  %1 = lathe.kernel(%a = %0 : tensor<?xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %a : tensor<?xf32, #lathe.dims<N>>
    lathe.yield %n : tensor<?xf32, #lathe.dims<N>>
  }
  return %1 : tensor<?xf32, #lathe.dims<N>>
}

// -----

lathe.variable @v : tensor<4x4xf32> init #lathe.zeros
func.func @transposed(%old: tensor<4x4xf32> {lathe.state = @v}) -> (tensor<4x4xf32> {lathe.state = @v}) attributes {lathe.workspace = #lathe.dim<0>} {
  // expected-error @+1 {{overwrites variable @v while it reads other places of it}}
  %0 = lathe.kernel(%a = %old : tensor<4x4xf32>) -> tensor<4x4xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.transpose %a [1, 0] : tensor<4x4xf32>
    lathe.yield %n : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}
