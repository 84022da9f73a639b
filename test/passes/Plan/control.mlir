// Places of branches and loops.
// RUN: lathe-opt %s --lathe-import --canonicalize --lathe-fuse --lathe-plan --lathe-verify-plan | FileCheck %s

// An elementwise update stays where it is, which is the entry's result from the start; the stack is a result too, each step
// writes its slot. Nothing is copied but the first value, an input.
// CHECK-LABEL: func.func @decay(
// CHECK-SAME: lathe.workspace = #lathe.dim<0>
// CHECK: lathe.kernel({{.*}}lathe.buffers = [#lathe.buffer<result 0 at <0>>]
// CHECK-NEXT: lathe.stop_gradient
// CHECK: lathe.scan {{.*}} attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>, #lathe.buffer<result 1 at <0>>], lathe.spares = [unit]}
// CHECK: lathe.kernel({{.*}}lathe.buffers = [#lathe.buffer<yield 1 at <0>>, #lathe.buffer<yield 0 at <0>>]
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func @decay(%h0: tensor<32xf32>, %xs: tensor<?x32xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<32xf32>, tensor<?x32xf32>) {
  %h, %ys = lathe.scan carry(%h = %h0 : tensor<32xf32>) over(%x = %xs : tensor<?x32xf32>) -> (tensor<32xf32>, tensor<?x32xf32>) {
    %y = lathe.mul %h, %x : tensor<32xf32>
    %next = lathe.sub %h, %y : tensor<32xf32>
    lathe.yield carry(%next : tensor<32xf32>) collect(%y : tensor<32xf32>)
  }
  return %h, %ys : tensor<32xf32>, tensor<?x32xf32>
}

// An op that replaces parts of a tensor updates it in place.
// CHECK-LABEL: func.func @append(
// CHECK: lathe.scan {{.*}}lathe.spares = [unit, unit]}
// CHECK: lathe.dynamic_update_slice
// CHECK-NOT: lathe.stop_gradient
// CHECK: lathe.yield carry
func.func @append(%xs: tensor<?x1x16xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<64x16xf32> {
  %zeros = lathe.constant dense<0.0> : tensor<64x16xf32>
  %start = lathe.constant dense<0> : tensor<i32>
  %all, %end = lathe.scan carry(%all = %zeros : tensor<64x16xf32>, %i = %start : tensor<i32>) over(%x = %xs : tensor<?x1x16xf32>)
      -> (tensor<64x16xf32>, tensor<i32>) {
    %zero = lathe.constant dense<0> : tensor<i32>
    %one = lathe.constant dense<1> : tensor<i32>
    %next = lathe.dynamic_update_slice %all, %x [%i, %zero] : tensor<64x16xf32>, tensor<1x16xf32>, (tensor<i32>, tensor<i32>)
    %j = lathe.add %i, %one : tensor<i32>
    lathe.yield carry(%next : tensor<64x16xf32>, %j : tensor<i32>)
  }
  return %all : tensor<64x16xf32>
}

// A product reads all of the old value: two places, which change roles. The first step reads the input where it is. The value that stands outside is read in each step, so
// what a step needs for itself has a place beside it.
// CHECK-LABEL: func.func @powers(
// CHECK: lathe.buffers = [#lathe.buffer<arena 0 at <[[W:.*]]>>]
// CHECK: lathe.abs
// CHECK-NOT: lathe.stop_gradient
// CHECK: lathe.scan carry({{.*}} = %arg1 :{{.*}}lathe.spares = [#lathe.buffer<arena 0 at <{{.*}}>>]}
// CHECK: lathe.kernel
// CHECK-NOT: lathe.buffers = [#lathe.buffer<arena 0 at <[[W]]>>]
// CHECK: lathe.yield carry
func.func @powers(%m: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %w = lathe.abs %m : tensor<8x8xf32>
  %r = lathe.scan carry(%a = %v : tensor<8x8xf32>) trip 5 -> tensor<8x8xf32> {
    %p = lathe.dot_general %w, %w contract [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32>
    %q = lathe.dot_general %a, %p contract [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32>
    lathe.yield carry(%q : tensor<8x8xf32>)
  }
  return %r : tensor<8x8xf32>
}

// A value that is carried and collected is stored twice in one pass.
// CHECK-LABEL: func.func @outputs(
// CHECK: lathe.scan {{.*}}lathe.buffers = [#lathe.buffer<arena 0 at <{{.*}}>>, #lathe.buffer<result 1 at <0>>]
// CHECK: lathe.kernel({{.*}}lathe.buffers = [#lathe.buffer<yield 0 at <0>>, #lathe.buffer<yield 1 at <0>>]
// CHECK: lathe.dot_general
// CHECK-NEXT: %[[Y:.*]] = lathe.tanh
// CHECK-NEXT: %[[AGAIN:.*]] = lathe.stop_gradient %[[Y]]
// CHECK-NEXT: lathe.yield %[[Y]], %[[AGAIN]]
func.func @outputs(%h0: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<5x4x8xf32>) {
  %h, %hs = lathe.scan carry(%h = %h0 : tensor<4x8xf32>) trip 5 -> (tensor<4x8xf32>, tensor<5x4x8xf32>) {
    %p = lathe.dot_general %h, %w contract [1] x [0] : tensor<4x8xf32>, tensor<8x8xf32>
    %next = lathe.tanh %p : tensor<4x8xf32>
    lathe.yield carry(%next : tensor<4x8xf32>) collect(%next : tensor<4x8xf32>)
  }
  return %h, %hs : tensor<4x8xf32>, tensor<5x4x8xf32>
}

// A loop in a loop takes the outer one's carry on where it is.
// CHECK-LABEL: func.func @within(
// CHECK: lathe.kernel({{.*}}lathe.buffers = [#lathe.buffer<result 0 at <0>>]
// CHECK: lathe.scan {{.*}}lathe.buffers = [#lathe.buffer<result 0 at <0>>], lathe.spares = [unit]
// CHECK-NOT: lathe.kernel
// CHECK: lathe.scan {{.*}}lathe.buffers = [#lathe.buffer<yield 0 at <0>>], lathe.spares = [unit]
// CHECK-NEXT: lathe.kernel({{.*}}lathe.buffers = [#lathe.buffer<yield 0 at <0>>]
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func @within(%v: tensor<8x8xf32>, %xs: tensor<3x7x8x8xf32>) -> tensor<8x8xf32> {
  %r = lathe.scan carry(%a = %v : tensor<8x8xf32>) over(%rows = %xs : tensor<3x7x8x8xf32>) -> tensor<8x8xf32> {
    %s = lathe.scan carry(%b = %a : tensor<8x8xf32>) over(%x = %rows : tensor<7x8x8xf32>) -> tensor<8x8xf32> {
      %p = lathe.mul %b, %x : tensor<8x8xf32>
      lathe.yield carry(%p : tensor<8x8xf32>)
    }
    lathe.yield carry(%s : tensor<8x8xf32>)
  }
  return %r : tensor<8x8xf32>
}

// Both branches write the entry's result; what only one of them needs lies where the other's was.
// CHECK-LABEL: func.func @either(
// CHECK-SAME: lathe.workspace = #lathe.dim<256>
// CHECK: lathe.if {{.*}}lathe.buffers = [#lathe.buffer<result 0 at <0>>]}
// CHECK: lathe.buffers = [#lathe.buffer<arena 0 at <0>>]
// CHECK: lathe.buffers = [#lathe.buffer<yield 0 at <0>>]
// CHECK: } else {
// CHECK: lathe.buffers = [#lathe.buffer<arena 0 at <0>>]
// CHECK: lathe.buffers = [#lathe.buffer<yield 0 at <0>>]
func.func @either(%p: tensor<i1>, %m: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = lathe.if %p -> tensor<8x8xf32> {
    %a = lathe.dot_general %m, %m contract [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32>
    %b = lathe.dot_general %a, %m contract [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32>
    lathe.yield %b : tensor<8x8xf32>
  } else {
    %a = lathe.dot_general %m, %m contract [0] x [0] : tensor<8x8xf32>, tensor<8x8xf32>
    %b = lathe.dot_general %a, %m contract [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32>
    lathe.yield %b : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// A loop that may fail: variables get their new values behind it.
lathe.variable @v : tensor<4xf32> init #lathe.zeros
// CHECK-LABEL: func.func @late(
// CHECK: lathe.buffers = [#lathe.buffer<arena 0 at <{{.*}}>>]
// CHECK: lathe.neg
// CHECK: lathe.while
// CHECK: lathe.buffers = [#lathe.buffer<result 1 at <0>>]
// CHECK: lathe.stop_gradient
func.func @late(%old: tensor<4xf32> {lathe.state = @v}, %x: tensor<f32>) -> (tensor<f32>, tensor<4xf32> {lathe.state = @v}) {
  %new = lathe.neg %old : tensor<4xf32>
  %y = lathe.while carry(%i = %x : tensor<f32>) bound 5 {
    %one = lathe.constant dense<1.0> : tensor<f32>
    %go = lathe.compare gt %i, %one : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %half = lathe.constant dense<0.5> : tensor<f32>
    %next = lathe.mul %i, %half : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  return %y, %new : tensor<f32>, tensor<4xf32>
}

// Copies that come in at the end of an inner step and in front of an inner loop are in the order of the ops, too: the two carries
// that change roles keep two places, which the outer loop's end knows.
// CHECK-LABEL: func.func @roles(
// CHECK: lathe.scan {{.*}}lathe.spares = [unit, unit]}
// CHECK: lathe.scan {{.*}}lathe.spares = [#lathe.buffer<arena 0 at <{{.*}}>>, {{(unit|#lathe.buffer<arena 0 at <.*>>)}}]}
func.func @roles(%x: tensor<32xf32>, %y: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %r:2 = lathe.scan carry(%a = %x : tensor<32xf32>, %b = %y : tensor<32xf32>) trip 3 -> (tensor<32xf32>, tensor<32xf32>) {
    %s:2 = lathe.scan carry(%c = %a : tensor<32xf32>, %d = %b : tensor<32xf32>) trip 2 -> (tensor<32xf32>, tensor<32xf32>) {
      lathe.yield carry(%d : tensor<32xf32>, %c : tensor<32xf32>)
    }
    lathe.yield carry(%s#1 : tensor<32xf32>, %s#0 : tensor<32xf32>)
  }
  return %r#0, %r#1 : tensor<32xf32>, tensor<32xf32>
}

// All steps update a variable where it is: its old value is the first one, its new value the last. Not where a step may fail, or
// where something reads the old value later.
lathe.variable @cache : tensor<64x16xf32> init #lathe.zeros
// CHECK-LABEL: func.func @decode(
// CHECK: lathe.scan carry({{.*}} = %arg1 :{{.*}}attributes {lathe.buffers = [#lathe.buffer<result 1 at <0>>], lathe.spares = [unit]}
// CHECK-NOT: lathe.stop_gradient
// CHECK: return
func.func @decode(%xs: tensor<?x1x16xf32> {lathe.dims = #lathe.dims<N>}, %old: tensor<64x16xf32> {lathe.state = @cache}, %i: tensor<i32>)
    -> (tensor<16xf32>, tensor<64x16xf32> {lathe.state = @cache}) {
  %all = lathe.scan carry(%all = %old : tensor<64x16xf32>) over(%x = %xs : tensor<?x1x16xf32>) -> tensor<64x16xf32> {
    %next = lathe.dynamic_update_slice %all, %x [%i, %i] : tensor<64x16xf32>, tensor<1x16xf32>, (tensor<i32>, tensor<i32>)
    lathe.yield carry(%next : tensor<64x16xf32>)
  }
  %sum = lathe.reduce sum %all dims [0] : tensor<64x16xf32>
  return %sum, %all : tensor<16xf32>, tensor<64x16xf32>
}

lathe.variable @w : tensor<4xf32> init #lathe.zeros
// CHECK-LABEL: func.func @bounded(
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.stop_gradient
// CHECK: lathe.while
// CHECK: lathe.buffers = [#lathe.buffer<result 0 at <0>>]
// CHECK-NEXT: lathe.stop_gradient
func.func @bounded(%old: tensor<4xf32> {lathe.state = @w}) -> (tensor<4xf32> {lathe.state = @w}) {
  %y = lathe.while carry(%i = %old : tensor<4xf32>) bound 5 {
    %one = lathe.constant dense<1.0> : tensor<f32>
    %most = lathe.reduce max %i dims [0] : tensor<4xf32>
    %go = lathe.compare gt %most, %one : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %next = lathe.neg %i : tensor<4xf32>
    lathe.yield carry(%next : tensor<4xf32>)
  }
  return %y : tensor<4xf32>
}

lathe.variable @u : tensor<4xf32> init #lathe.zeros
// CHECK-LABEL: func.func @late_reader(
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.stop_gradient
// CHECK: lathe.scan
// CHECK: lathe.buffers = [#lathe.buffer<result 1 at <0>>]
// CHECK-NEXT: lathe.stop_gradient
func.func @late_reader(%old: tensor<4xf32> {lathe.state = @u}) -> (tensor<4xf32>, tensor<4xf32> {lathe.state = @u}) {
  %y = lathe.scan carry(%i = %old : tensor<4xf32>) trip 5 -> tensor<4xf32> {
    %next = lathe.exp %i : tensor<4xf32>
    lathe.yield carry(%next : tensor<4xf32>)
  }
  %z = lathe.cumulative sum %old dim 0 : tensor<4xf32>
  return %z, %y : tensor<4xf32>, tensor<4xf32>
}

// The loop's result is another variable's new value, so that the old one must stay as it is.
lathe.variable @p : tensor<4xf32> init #lathe.zeros
lathe.variable @q : tensor<4xf32> init #lathe.zeros
// CHECK-LABEL: func.func @crossed(
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.stop_gradient
// CHECK: lathe.scan
func.func @crossed(%old: tensor<4xf32> {lathe.state = @p}) -> (tensor<4xf32> {lathe.state = @q}, tensor<4xf32> {lathe.state = @p}) {
  %y = lathe.scan carry(%i = %old : tensor<4xf32>) trip 5 -> tensor<4xf32> {
    %next = lathe.exp %i : tensor<4xf32>
    lathe.yield carry(%next : tensor<4xf32>)
  }
  %z = lathe.neg %y : tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}
