// RUN: lathe-opt %s --split-input-file --lathe-import --lathe-fuse --lathe-recompute=bytes=13000 | FileCheck %s

// Two values of each step are stacked for the loop that runs back. It computes one of them again from the other: only the
// exponential runs twice.
// CHECK-LABEL: func.func @part
// CHECK: %[[KEPT:.*]]:2 = lathe.scan
// CHECK: lathe.dot_general
// CHECK: lathe.yield carry({{.*}}) collect(%{{[^,]*}} : tensor<16x16xf32>)
// CHECK: lathe.scan {{.*}} over(%[[P:.*]] = %[[KEPT]]#1 : tensor<8x16x16xf32>)
// CHECK-NEXT: %[[E:.*]] = lathe.kernel(%[[IN:.*]] = %[[P]] : tensor<16x16xf32>)
// CHECK-NEXT: %[[EXP:.*]] = lathe.exp %[[IN]]
// CHECK-NEXT: lathe.yield %[[EXP]]
// CHECK: lathe.kernel({{.*}} = %[[E]] : tensor<16x16xf32>)
// CHECK-NEXT: lathe.mul
func.func @part(%x: tensor<16x16xf32>, %ws: tensor<8x16x16xf32>) -> tensor<8x16x16xf32> {
  %h, %es, %ps = lathe.scan carry(%h = %x : tensor<16x16xf32>) over(%w = %ws : tensor<8x16x16xf32>)
      -> (tensor<16x16xf32>, tensor<8x16x16xf32>, tensor<8x16x16xf32>) {
    %p = lathe.dot_general %h, %w contract [1] x [0] : tensor<16x16xf32>, tensor<16x16xf32>
    %e = lathe.exp %p : tensor<16x16xf32>
    %next = lathe.sub %e, %h : tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x16xf32>) collect(%e : tensor<16x16xf32>, %p : tensor<16x16xf32>)
  }
  %g, %gs = lathe.scan carry(%g = %h : tensor<16x16xf32>) over(%e = %es : tensor<8x16x16xf32>, %p = %ps : tensor<8x16x16xf32>) reverse
      -> (tensor<16x16xf32>, tensor<8x16x16xf32>) {
    %a = lathe.mul %g, %e : tensor<16x16xf32>
    %next = lathe.dot_general %a, %p contract [1] x [0] : tensor<16x16xf32>, tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x16xf32>) collect(%a : tensor<16x16xf32>)
  }
  return %gs : tensor<8x16x16xf32>
}

// -----

// The carries before each step take half of the bytes of the values. The loop collects them instead, and the other one runs the
// whole kernel again, with the slice and the value from outside that it reads.
// CHECK-LABEL: func.func @carries
// CHECK-SAME: %[[X:[^:]*]]: tensor<16x8xf32>, %[[WS:[^:]*]]: tensor<16x8x16xf32>, %[[B:[^:]*]]: tensor<16x16xf32>
// CHECK: %[[KEPT:.*]]:2 = lathe.scan carry(%[[H:.*]] = %[[X]] : tensor<16x8xf32>) over
// CHECK: lathe.yield carry({{.*}}) collect(%[[H]] : tensor<16x8xf32>)
// CHECK: lathe.scan {{.*}} over(%[[OLD:.*]] = %[[KEPT]]#1 : tensor<16x16x8xf32>, %[[W:.*]] = %[[WS]] : tensor<16x8x16xf32>)
// CHECK-NEXT: %[[AGAIN:.*]] = lathe.kernel({{.*}} = %[[OLD]] : tensor<16x8xf32>, {{.*}} = %[[W]] : tensor<8x16xf32>, {{.*}} = %[[B]] : tensor<16x16xf32>)
// CHECK-NEXT: lathe.dot_general
// CHECK: lathe.kernel({{.*}} = %[[AGAIN]] : tensor<16x16xf32>
func.func @carries(%x: tensor<16x8xf32>, %ws: tensor<16x8x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %h, %ps = lathe.scan carry(%h = %x : tensor<16x8xf32>) over(%w = %ws : tensor<16x8x16xf32>) -> (tensor<16x8xf32>, tensor<16x16x16xf32>) {
    %p = lathe.dot_general %h, %w contract [1] x [0] : tensor<16x8xf32>, tensor<8x16xf32>
    %q = lathe.mul %p, %b : tensor<16x16xf32>
    %next = lathe.slice %q from [0, 8] to [16, 16] : tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x8xf32>) collect(%q : tensor<16x16xf32>)
  }
  %s = lathe.dot_general %h, %h contract [1] x [1] : tensor<16x8xf32>, tensor<16x8xf32>
  %g = lathe.scan carry(%g = %s : tensor<16x16xf32>) over(%p = %ps : tensor<16x16x16xf32>) reverse -> tensor<16x16xf32> {
    %next = lathe.dot_general %g, %p contract [1] x [0] : tensor<16x16xf32>, tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x16xf32>)
  }
  return %g : tensor<16x16xf32>
}

// -----

// What the first loop reads in slices is as large as the values and is read no more. Its kernel runs again before the other
// loop, and so does the first loop's kernel inside. A cumulative sum over all steps has no slices of its own.
// CHECK-LABEL: func.func @before
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x16x16xf32>
// CHECK: %[[T:.*]] = lathe.kernel({{.*}} = %[[X]] :
// CHECK-NEXT: lathe.cumulative
// CHECK: lathe.scan {{.*}} over(%{{.*}} = %[[T]] :
// CHECK: lathe.yield carry(%{{[^,]*}} : tensor<16x16xf32>){{$}}
// CHECK: lathe.reduce
// CHECK: %[[AGAIN:.*]] = lathe.kernel({{.*}} = %[[X]] :
// CHECK-NEXT: lathe.cumulative
// CHECK: lathe.scan {{.*}} over(%[[SLICE:.*]] = %[[AGAIN]] : tensor<8x16x16xf32>)
// CHECK: lathe.kernel({{.*}} = %[[SLICE]] : tensor<16x16xf32>
// CHECK: lathe.cumulative
func.func @before(%x: tensor<8x16x16xf32>, %z: tensor<8x16x16xf32>) -> (tensor<16x16xf32>, tensor<16xf32>) {
  %zero = lathe.constant dense<0.0> : tensor<16x16xf32>
  %t = lathe.cumulative sum %x dim 0 : tensor<8x16x16xf32>
  %h, %ps = lathe.scan carry(%h = %zero : tensor<16x16xf32>) over(%w = %t : tensor<8x16x16xf32>) -> (tensor<16x16xf32>, tensor<8x16x16xf32>) {
    %p = lathe.cumulative sum %w dim 0 : tensor<16x16xf32>
    %next = lathe.add %h, %p : tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x16xf32>) collect(%p : tensor<16x16xf32>)
  }
  %v = lathe.cumulative sum %z dim 0 : tensor<8x16x16xf32>
  %r = lathe.reduce sum %v dims [0, 1] : tensor<8x16x16xf32>
  %g = lathe.scan carry(%g = %h : tensor<16x16xf32>) over(%p = %ps : tensor<8x16x16xf32>) reverse -> tensor<16x16xf32> {
    %next = lathe.dot_general %g, %p contract [1] x [0] : tensor<16x16xf32>, tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x16xf32>)
  }
  return %g, %r : tensor<16x16xf32>, tensor<16xf32>
}

// -----

// The first loop makes nothing but the values, so that none of it remains.
// CHECK-LABEL: func.func @only
// CHECK-SAME: %[[X:[^:]*]]: tensor<16x16x16xf32>
// CHECK-NOT: lathe.scan
// CHECK: lathe.cumulative
// CHECK-NOT: lathe.scan
// CHECK: lathe.reduce
// CHECK: lathe.scan {{.*}} over(%[[SLICE:.*]] = %[[X]] : tensor<16x16x16xf32>)
// CHECK-NEXT: lathe.kernel({{.*}} = %[[SLICE]] : tensor<16x16xf32>)
// CHECK-NEXT: lathe.cumulative
func.func @only(%x: tensor<16x16x16xf32>, %z: tensor<8x16x16xf32>, %h: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16xf32>) {
  %ps = lathe.scan over(%w = %x : tensor<16x16x16xf32>) -> tensor<16x16x16xf32> {
    %p = lathe.cumulative sum %w dim 0 : tensor<16x16xf32>
    lathe.yield collect(%p : tensor<16x16xf32>)
  }
  %v = lathe.cumulative sum %z dim 0 : tensor<8x16x16xf32>
  %r = lathe.reduce sum %v dims [0, 1] : tensor<8x16x16xf32>
  %g = lathe.scan carry(%g = %h : tensor<16x16xf32>) over(%p = %ps : tensor<16x16x16xf32>) reverse -> tensor<16x16xf32> {
    %next = lathe.dot_general %g, %p contract [1] x [0] : tensor<16x16xf32>, tensor<16x16xf32>
    lathe.yield carry(%next : tensor<16x16xf32>)
  }
  return %g, %r : tensor<16x16xf32>, tensor<16xf32>
}
