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
  // expected-error @+1 {{is misaligned or outside of the 0 bytes of workspace}}
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

// -----

func.func @elsewhere(%x: tensor<32xf32>) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<256>} {
  %0 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  // expected-error @+1 {{plan: carry 0 does not begin in its place}}
  %1 = lathe.scan carry(%h = %0 : tensor<32xf32>) trip 3 -> tensor<32xf32>
      attributes {lathe.buffers = [#lathe.buffer<arena 0 at <128>>], lathe.spares = [unit]} {
    %2 = lathe.kernel(%a = %h : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<yield 0 at <0>>]} {
      %n = lathe.neg %a : tensor<32xf32>
      lathe.yield %n : tensor<32xf32>
    }
    lathe.yield carry(%2 : tensor<32xf32>)
  }
  %3 = lathe.kernel(%a = %1 : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  return %3 : tensor<32xf32>
}

// -----

func.func @turns(%x: tensor<32xf32>) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<256>} {
  %0 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  %1 = lathe.scan carry(%h = %0 : tensor<32xf32>) trip 3 -> tensor<32xf32>
      attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>], lathe.spares = [unit]} {
    // expected-error @+1 {{overwrites carry 0 while it reads other places of it}}
    %2 = lathe.kernel(%a = %h : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<yield 0 at <0>>]} {
      %n = lathe.reverse %a dims [0] : tensor<32xf32>
      lathe.yield %n : tensor<32xf32>
    }
    lathe.yield carry(%2 : tensor<32xf32>)
  }
  %3 = lathe.kernel(%a = %1 : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  return %3 : tensor<32xf32>
}

// -----

// A step reads a const again in the next step: the body must not use its buffer as scratch.
func.func @again(%x: tensor<32xf32>) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<256>} {
  // expected-error @+1 {{plan: buffer [128, 256) overlaps a live one}}
  %w = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <128>>]} {
    %n = lathe.abs %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  %0 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  %1 = lathe.scan carry(%h = %0 : tensor<32xf32>) trip 3 -> tensor<32xf32>
      attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>], lathe.spares = [unit]} {
    // expected-note @+1 {{the other buffer is [128, 256)}}
    %s = lathe.kernel(%a = %w : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <128>>]} {
      %n = lathe.neg %a : tensor<32xf32>
      lathe.yield %n : tensor<32xf32>
    }
    %2 = lathe.kernel(%a = %h : tensor<32xf32>, %b = %s : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<yield 0 at <0>>]} {
      %n = lathe.add %a, %b : tensor<32xf32>
      lathe.yield %n : tensor<32xf32>
    }
    lathe.yield carry(%2 : tensor<32xf32>)
  }
  %3 = lathe.kernel(%a = %1 : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  return %3 : tensor<32xf32>
}

// -----

func.func @lost(%p: tensor<i1>, %x: tensor<32xf32>) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<128>} {
  %0 = lathe.if %p -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %1 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<yield 0 at <0>>]} {
      %n = lathe.neg %a : tensor<32xf32>
      lathe.yield %n : tensor<32xf32>
    }
    lathe.yield %1 : tensor<32xf32>
  } else {
    %1 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
      %n = lathe.abs %a : tensor<32xf32>
      lathe.yield %n : tensor<32xf32>
    }
    // expected-error @+1 {{plan: value 0 is not made where it is to be}}
    lathe.yield %1 : tensor<32xf32>
  }
  return %0 : tensor<32xf32>
}

// -----

func.func @shared(%x: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) attributes {lathe.workspace = #lathe.dim<256>} {
  %0 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  // expected-error @+1 {{plan: carry 0 begins as what something else reads too}}
  %1 = lathe.scan carry(%h = %0 : tensor<32xf32>) trip 3 -> tensor<32xf32>
      attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>], lathe.spares = [unit]} {
    %2 = lathe.kernel(%a = %h : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<yield 0 at <0>>]} {
      %n = lathe.neg %a : tensor<32xf32>
      lathe.yield %n : tensor<32xf32>
    }
    lathe.yield carry(%2 : tensor<32xf32>)
  }
  %3 = lathe.kernel(%a = %0 : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 1 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  return %1, %3 : tensor<32xf32>, tensor<32xf32>
}

// -----

// The inner loop may not take the outer one's old value where the outer one has two places.
func.func @apart(%x: tensor<32xf32>) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<256>} {
  %0 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  %1 = lathe.scan carry(%h = %0 : tensor<32xf32>) trip 3 -> tensor<32xf32>
      attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>], lathe.spares = [#lathe.buffer<arena 0 at <128>>]} {
    // expected-error @+1 {{plan: carry 0 does not begin in its place}}
    %2 = lathe.scan carry(%g = %h : tensor<32xf32>) trip 2 -> tensor<32xf32>
        attributes {lathe.buffers = [#lathe.buffer<yield 0 at <0>>], lathe.spares = [unit]} {
      %3 = lathe.kernel(%a = %g : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<yield 0 at <0>>]} {
        %n = lathe.neg %a : tensor<32xf32>
        lathe.yield %n : tensor<32xf32>
      }
      lathe.yield carry(%3 : tensor<32xf32>)
    }
    lathe.yield carry(%2 : tensor<32xf32>)
  }
  %4 = lathe.kernel(%a = %1 : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  return %4 : tensor<32xf32>
}

// -----

// The places of two workspaces are apart: the first two kernels do not overlap, but the second and the third one do.
func.func @cold(%x: tensor<32xf32>) -> tensor<32xf32> attributes {lathe.cold_workspace = #lathe.dim<256>, lathe.workspace = #lathe.dim<128>} {
  %0 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  // expected-error @+1 {{plan: buffer [0, 128) overlaps a live one}}
  %1 = lathe.kernel(%a = %0 : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<cold 0 at <0>>], lathe.cold} {
    %n = lathe.stop_gradient %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  // expected-note @+1 {{the other buffer is [64, 192)}}
  %2 = lathe.kernel(%a = %0 : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<cold 0 at <64>>], lathe.cold} {
    %n = lathe.stop_gradient %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  %3 = lathe.kernel(%a = %1 : tensor<32xf32>, %b = %2 : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.add %a, %b : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  return %3 : tensor<32xf32>
}

// -----

func.func @beyond_the_cold_workspace(%x: tensor<32xf32>) -> tensor<32xf32> attributes {lathe.cold_workspace = #lathe.dim<64>, lathe.workspace = #lathe.dim<512>} {
  // expected-error @+1 {{is misaligned or outside of the 64 bytes of cold workspace}}
  %0 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<cold 0 at <0>>], lathe.cold} {
    %n = lathe.stop_gradient %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  %1 = lathe.kernel(%a = %0 : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  return %1 : tensor<32xf32>
}

// -----

func.func @warm_in_the_cold_workspace(%x: tensor<32xf32>) -> tensor<32xf32> attributes {lathe.cold_workspace = #lathe.dim<128>, lathe.workspace = #lathe.dim<0>} {
  // expected-error @+1 {{plan: only kernels of cold values write to the cold workspace, and only there}}
  %0 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<cold 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  %1 = lathe.kernel(%a = %0 : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  return %1 : tensor<32xf32>
}
