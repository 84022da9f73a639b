// Wrong plans with views and with concatenations in place, and of loops that begin with a variable or an argument: the verifier
// finds each.
// RUN: lathe-opt %s --lathe-verify-plan -split-input-file -verify-diagnostics

// Correct, so that each of the others differs from a plan that is accepted.
func.func @right(%x: tensor<16xf32>) -> tensor<16xf32> attributes {lathe.workspace = #lathe.dim<192>} {
  %a = lathe.kernel(%i = %x : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.neg %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  %b = lathe.kernel(%i = %a : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <64>>]} {
    %n = lathe.abs %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  %c = lathe.concatenate %a, %b dim 0 {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} : tensor<16xf32>, tensor<16xf32>
  %high = lathe.slice %c from [16] to [32] : tensor<32xf32>
  %d = lathe.kernel(%i = %high : tensor<16xf32>, %j = %a : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.add %i, %j : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  return %d : tensor<16xf32>
}

// -----

func.func @misplaced(%x: tensor<16xf32>) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<0>} {
  %a = lathe.kernel(%i = %x : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  %b = lathe.kernel(%i = %x : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.abs %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  // expected-error @+1 {{plan: operand 1 is not written where the concatenation has it}}
  %c = lathe.concatenate %a, %b dim 0 {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} : tensor<16xf32>, tensor<16xf32>
  return %c : tensor<32xf32>
}

// -----

func.func @argument(%x: tensor<16xf32>) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<0>} {
  %a = lathe.kernel(%i = %x : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  // expected-error @+1 {{plan: operand 1 is not written where the concatenation has it}}
  %c = lathe.concatenate %a, %x dim 0 {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} : tensor<16xf32>, tensor<16xf32>
  return %c : tensor<32xf32>
}

// -----

func.func @twice(%x: tensor<16xf32>) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<0>} {
  %a = lathe.kernel(%i = %x : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  // expected-error @+1 {{plan: operand 1 is not written where the concatenation has it}}
  %c = lathe.concatenate %a, %a dim 0 {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} : tensor<16xf32>, tensor<16xf32>
  return %c : tensor<32xf32>
}

// -----

// A part of two concatenations could only be in the place of one.
func.func @claimed(%x: tensor<16xf32>) -> tensor<16xf32> attributes {lathe.workspace = #lathe.dim<128>} {
  %a = lathe.kernel(%i = %x : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.neg %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  // expected-error @+1 {{plan: operand 0 is not written where the concatenation has it}}
  %c = lathe.concatenate %a dim 0 {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} : tensor<16xf32>
  %d = lathe.concatenate %a dim 0 {lathe.buffers = [#lathe.buffer<arena 0 at <64>>]} : tensor<16xf32>
  %e = lathe.kernel(%i = %c : tensor<16xf32>, %j = %d : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.add %i, %j : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  return %e : tensor<16xf32>
}

// -----

// Between the first part and the concatenation another value has its place.
func.func @between(%x: tensor<16xf32>) -> tensor<f32> attributes {lathe.workspace = #lathe.dim<128>} {
  // expected-error @+1 {{plan: buffer [0, 64) overlaps a live one}}
  %a = lathe.kernel(%i = %x : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.neg %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  // expected-note @+1 {{the other buffer is [0, 64)}}
  %s = lathe.kernel(%i = %x : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.exp %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  %b = lathe.kernel(%i = %s : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <64>>]} {
    %n = lathe.abs %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  %c = lathe.concatenate %a, %b dim 0 {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} : tensor<16xf32>, tensor<16xf32>
  %d = lathe.kernel(%i = %c : tensor<32xf32>) -> tensor<f32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.reduce sum %i dims [0] : tensor<32xf32>
    lathe.yield %n : tensor<f32>
  }
  return %d : tensor<f32>
}

// -----

// The last reader of a part writes over it, while the whole is still read.
func.func @replaced(%x: tensor<16xf32>) -> tensor<f32> attributes {lathe.workspace = #lathe.dim<128>} {
  %a = lathe.kernel(%i = %x : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.neg %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  %b = lathe.kernel(%i = %a : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <64>>]} {
    %n = lathe.abs %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  // expected-error @+1 {{plan: buffer [0, 128) overlaps a live one}}
  %c = lathe.concatenate %a, %b dim 0 {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} : tensor<16xf32>, tensor<16xf32>
  // expected-note @+1 {{the other buffer is [0, 64)}}
  %e = lathe.kernel(%i = %a : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.exp %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  %d = lathe.kernel(%i = %c : tensor<32xf32>, %j = %e : tensor<16xf32>) -> tensor<f32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %m = lathe.reduce sum %i dims [0] : tensor<32xf32>
    %n = lathe.reduce sum %j dims [0] : tensor<16xf32>
    %o = lathe.add %m, %n : tensor<f32>
    lathe.yield %o : tensor<f32>
  }
  return %d : tensor<f32>
}

// -----

// A kernel writes over the whole, of which it reads a part at other places.
func.func @turned(%x: tensor<16xf32>) -> tensor<f32> attributes {lathe.workspace = #lathe.dim<128>} {
  %a = lathe.kernel(%i = %x : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.neg %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  %b = lathe.kernel(%i = %a : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <64>>]} {
    %n = lathe.abs %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  // expected-error @+1 {{plan: buffer [0, 128) overlaps a live one}}
  %c = lathe.concatenate %a, %b dim 0 {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} : tensor<16xf32>, tensor<16xf32>
  %high = lathe.slice %c from [16] to [32] : tensor<32xf32>
  // expected-note @+1 {{the other buffer is [0, 128)}}
  %e = lathe.kernel(%i = %c : tensor<32xf32>, %j = %high : tensor<16xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %m = lathe.concatenate %j, %j dim 0 : tensor<16xf32>, tensor<16xf32>
    %n = lathe.add %i, %m : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  %d = lathe.kernel(%i = %e : tensor<32xf32>) -> tensor<f32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %m = lathe.reduce sum %i dims [0] : tensor<32xf32>
    lathe.yield %m : tensor<f32>
  }
  return %d : tensor<f32>
}

// -----

// A loop takes the buffer of a part.
func.func @taken(%x: tensor<16xf32>) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<0>} {
  // expected-error @+1 {{writes result 0, which another value is returned as}}
  %a = lathe.kernel(%i = %x : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  %b = lathe.kernel(%i = %a : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <64>>]} {
    %n = lathe.abs %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  %c = lathe.concatenate %a, %b dim 0 {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} : tensor<16xf32>, tensor<16xf32>
  %1 = lathe.scan carry(%h = %a : tensor<16xf32>) trip 3 -> tensor<16xf32>
      attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>], lathe.spares = [unit]} {
    %2 = lathe.kernel(%i = %h : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<yield 0 at <0>>]} {
      %n = lathe.neg %i : tensor<16xf32>
      lathe.yield %n : tensor<16xf32>
    }
    lathe.yield carry(%2 : tensor<16xf32>)
  }
  return %c : tensor<32xf32>
}

// -----

func.func @columns(%x: tensor<4x16xf32>) -> tensor<4x32xf32> attributes {lathe.workspace = #lathe.dim<0>} {
  %a = lathe.kernel(%i = %x : tensor<4x16xf32>) -> tensor<4x16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %i : tensor<4x16xf32>
    lathe.yield %n : tensor<4x16xf32>
  }
  %b = lathe.kernel(%i = %x : tensor<4x16xf32>) -> tensor<4x16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <256>>]} {
    %n = lathe.abs %i : tensor<4x16xf32>
    lathe.yield %n : tensor<4x16xf32>
  }
  // expected-error @+1 {{plan: is in place, but its operands are not contiguous}}
  %c = lathe.concatenate %a, %b dim 1 {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} : tensor<4x16xf32>, tensor<4x16xf32>
  return %c : tensor<4x32xf32>
}

// -----

func.func @strided(%x: tensor<4x32xf32>) -> tensor<4x16xf32> attributes {lathe.workspace = #lathe.dim<0>} {
  // expected-error @+1 {{plan: is a view, but its elements are not contiguous}}
  %a = lathe.slice %x from [0, 16] to [4, 32] : tensor<4x32xf32>
  %b = lathe.kernel(%i = %a : tensor<4x16xf32>) -> tensor<4x16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %i : tensor<4x16xf32>
    lathe.yield %n : tensor<4x16xf32>
  }
  return %b : tensor<4x16xf32>
}

// -----

func.func @behind(%x: tensor<16xf32>) -> tensor<16xf32> attributes {lathe.workspace = #lathe.dim<0>} {
  // expected-error @+1 {{plan: is not at the beginning of result 0}}
  %a = lathe.kernel(%i = %x : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <64>>]} {
    %n = lathe.neg %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  return %a : tensor<16xf32>
}

// -----

// The first part is written when the second one still needs the variable's old value.
lathe.variable @v : tensor<32xf32> init #lathe.zeros
func.func @early(%x: tensor<16xf32>, %old: tensor<32xf32> {lathe.state = @v}) -> (tensor<32xf32> {lathe.state = @v}) attributes {lathe.workspace = #lathe.dim<0>} {
  // expected-error @+1 {{overwrites variable @v before its last read}}
  %a = lathe.kernel(%i = %x : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.neg %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  %low = lathe.slice %old from [0] to [16] : tensor<32xf32>
  %b = lathe.kernel(%i = %low : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <64>>]} {
    %n = lathe.abs %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  %c = lathe.concatenate %a, %b dim 0 {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} : tensor<16xf32>, tensor<16xf32>
  return %c : tensor<32xf32>
}

// -----

// A view of a variable is read after the variable has its new value.
lathe.variable @v : tensor<32xf32> init #lathe.zeros
func.func @late(%old: tensor<32xf32> {lathe.state = @v}) -> (tensor<16xf32>, tensor<32xf32> {lathe.state = @v}) attributes {lathe.workspace = #lathe.dim<0>} {
  %low = lathe.slice %old from [0] to [16] : tensor<32xf32>
  // expected-error @+1 {{overwrites variable @v before its last read}}
  %a = lathe.kernel(%i = %old : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 1 at <0>>]} {
    %n = lathe.neg %i : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  %b = lathe.kernel(%i = %low : tensor<16xf32>) -> tensor<16xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.abs %i : tensor<16xf32>
    lathe.yield %n : tensor<16xf32>
  }
  return %b, %a : tensor<16xf32>, tensor<32xf32>
}

// -----

// A loop updates a variable whose old value is read later.
lathe.variable @v : tensor<32xf32> init #lathe.zeros
func.func @loop(%old: tensor<32xf32> {lathe.state = @v}) -> (tensor<32xf32>, tensor<32xf32> {lathe.state = @v}) attributes {lathe.workspace = #lathe.dim<0>} {
  // expected-error @+1 {{plan: carry 0 begins as what something else reads too}}
  %1 = lathe.scan carry(%h = %old : tensor<32xf32>) trip 3 -> tensor<32xf32>
      attributes {lathe.buffers = [#lathe.buffer<result 1 at <0>>], lathe.spares = [unit]} {
    %2 = lathe.kernel(%i = %h : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<yield 0 at <0>>]} {
      %n = lathe.neg %i : tensor<32xf32>
      lathe.yield %n : tensor<32xf32>
    }
    lathe.yield carry(%2 : tensor<32xf32>)
  }
  %b = lathe.kernel(%i = %old : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.abs %i : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  return %b, %1 : tensor<32xf32>, tensor<32xf32>
}

// -----

// With two buffers the first step could read a variable where it is, but the loop's result may be there too, after its update.
lathe.variable @v : tensor<32xf32> init #lathe.zeros
func.func @variable(%old: tensor<32xf32> {lathe.state = @v}) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<256>} {
  // expected-error @+1 {{plan: carry 0 does not begin in its place}}
  %1 = lathe.scan carry(%h = %old : tensor<32xf32>) trip 3 -> tensor<32xf32>
      attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>], lathe.spares = [#lathe.buffer<arena 0 at <128>>]} {
    %2 = lathe.kernel(%i = %h : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<yield 0 at <0>>]} {
      %n = lathe.reverse %i dims [0] : tensor<32xf32>
      lathe.yield %n : tensor<32xf32>
    }
    lathe.yield carry(%2 : tensor<32xf32>)
  }
  %b = lathe.kernel(%i = %1 : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.abs %i : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  return %b : tensor<32xf32>
}

// -----

// With one buffer the first step would write over the argument.
func.func @input(%x: tensor<32xf32>) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<0>} {
  // expected-error @+1 {{plan: carry 0 does not begin in its place}}
  %1 = lathe.scan carry(%h = %x : tensor<32xf32>) trip 3 -> tensor<32xf32>
      attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>], lathe.spares = [unit]} {
    %2 = lathe.kernel(%i = %h : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<yield 0 at <0>>]} {
      %n = lathe.neg %i : tensor<32xf32>
      lathe.yield %n : tensor<32xf32>
    }
    lathe.yield carry(%2 : tensor<32xf32>)
  }
  return %1 : tensor<32xf32>
}

// -----

// Both buffers of a carry that begins with an argument are needed during the loop.
func.func @both(%x: tensor<32xf32>) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<128>} {
  // expected-error @+2 {{plan: buffer [0, 128) overlaps a live one}}
  // expected-note @+1 {{the other buffer is [0, 128)}}
  %1 = lathe.scan carry(%h = %x : tensor<32xf32>) trip 3 -> tensor<32xf32>
      attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>], lathe.spares = [#lathe.buffer<arena 0 at <0>>]} {
    %2 = lathe.kernel(%i = %h : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<yield 0 at <0>>]} {
      %n = lathe.reverse %i dims [0] : tensor<32xf32>
      lathe.yield %n : tensor<32xf32>
    }
    lathe.yield carry(%2 : tensor<32xf32>)
  }
  %b = lathe.kernel(%i = %1 : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.abs %i : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  return %b : tensor<32xf32>
}
