// Weights that all steps of a loop read are packed into panels before it: which ones, where, and how often.
// RUN: lathe-opt %s "--lathe-pack-loop-weights=targets=x86-64-v3" | FileCheck %s
// The panels serve all levels: the widest tile is 48 columns on AVX-512, 24 on AVX2, and 8 before.
// RUN: lathe-opt %s "--lathe-pack-loop-weights=targets=x86-64-v2,x86-64-v3,x86-64-v4" | FileCheck %s --check-prefix=ALL
// The schedule reads the panels; without them, it would read rows of 800 bytes.
// RUN: lathe-opt %s "--lathe-pack-loop-weights=targets=x86-64-v3" --lathe-schedule-cpu=target=x86-64-v3 --lathe-verify-schedules-cpu=target=x86-64-v3 | FileCheck %s --check-prefix=SCHEDULE
// RUN: lathe-opt %s "--lathe-pack-loop-weights=targets=x86-64-v3 least-steps=100000" | FileCheck %s --check-prefix=NONE
// NONE-LABEL: func.func @nested
// NONE-NOT: [1, 0, 2]
// NONE-LABEL: func.func @until

// 200 columns are eight panels of 24, and eight columns of a ninth.
// CHECK-LABEL: func.func @cell
// CHECK: [[WIDE:%.*]] = lathe.kernel([[A:%.*]] = %arg1 : tensor<96x200xf32>) -> tensor<96x216xf32> {
// CHECK-NEXT: [[ZERO:%.*]] = lathe.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: lathe.pad [[A]], [[ZERO]] low [0, 0] high [0, 16]
// CHECK: [[CUT:%.*]] = lathe.reshape [[WIDE]] to [96, 9, 24]
// CHECK: [[PANELS:%.*]] = lathe.kernel([[B:%.*]] = [[CUT]] : tensor<96x9x24xf32>) -> tensor<9x96x24xf32> {
// CHECK-NEXT: lathe.transpose [[B]] [1, 0, 2]
// CHECK: lathe.scan
// CHECK: lathe.kernel({{.*}}, [[P:%.*]] = [[PANELS]] : tensor<9x96x24xf32>
// CHECK-NEXT: [[BACK:%.*]] = lathe.transpose [[P]] [1, 0, 2]
// CHECK-NEXT: [[ROWS:%.*]] = lathe.reshape [[BACK]] to [96, 216]
// CHECK-NEXT: [[W:%.*]] = lathe.slice [[ROWS]] from [0, 0] to [96, 200]
// CHECK-NEXT: lathe.dot_general %{{.*}}, [[W]] contract [1] x [0]
// ALL-LABEL: func.func @cell
// ALL: -> tensor<5x96x48xf32>
// SCHEDULE-LABEL: func.func @cell
// SCHEDULE: lathe.scan
// SCHEDULE: contraction {block_depth = 0, block_tiles = 1, lanes = 8, packs_lhs = false, rows = 4, vectors = 3}
func.func @cell(%h: tensor<8x96xf32>, %u: tensor<96x200xf32>) -> tensor<8x96xf32> {
  %0 = lathe.scan carry(%s = %h : tensor<8x96xf32>) trip 12 -> (tensor<8x96xf32>) {
    %1 = lathe.kernel(%a = %s : tensor<8x96xf32>, %b = %u : tensor<96x200xf32>) -> tensor<8x200xf32> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<8x96xf32>, tensor<96x200xf32>
      lathe.yield %p : tensor<8x200xf32>
    }
    %2 = lathe.kernel(%a = %1 : tensor<8x200xf32>) -> tensor<8x96xf32> {
      %p = lathe.slice %a from [0, 0] to [8, 96] : tensor<8x200xf32>
      lathe.yield %p : tensor<8x96xf32>
    }
    lathe.yield carry(%2 : tensor<8x96xf32>)
  }
  return %0 : tensor<8x96xf32>
}

// A matrix that a kernel transposes is packed from that kernel's operand; the kernel is unused then.
// CHECK-LABEL: func.func @transposed
// CHECK: [[ROWS:%.*]] = lathe.reshape %arg1 to [4, 24, 96]
// CHECK: [[PANELS:%.*]] = lathe.kernel([[A:%.*]] = [[ROWS]] : tensor<4x24x96xf32>) -> tensor<4x96x24xf32> {
// CHECK-NEXT: lathe.transpose [[A]] [0, 2, 1]
// CHECK-NOT: [1, 0] :
// CHECK: lathe.scan
// CHECK: [[BACK:%.*]] = lathe.transpose %{{.*}} [1, 0, 2]
// CHECK-NEXT: [[W:%.*]] = lathe.reshape [[BACK]] to [96, 96]
// CHECK-NEXT: lathe.dot_general %{{.*}}, [[W]] contract [1] x [0]
func.func @transposed(%h: tensor<8x96xf32>, %u: tensor<96x96xf32>) -> tensor<8x96xf32> {
  %t = lathe.kernel(%a = %u : tensor<96x96xf32>) -> tensor<96x96xf32> {
    %p = lathe.transpose %a [1, 0] : tensor<96x96xf32>
    lathe.yield %p : tensor<96x96xf32>
  }
  %0 = lathe.scan carry(%s = %h : tensor<8x96xf32>) trip 12 -> (tensor<8x96xf32>) {
    %1 = lathe.kernel(%a = %s : tensor<8x96xf32>, %b = %t : tensor<96x96xf32>) -> tensor<8x96xf32> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<8x96xf32>, tensor<96x96xf32>
      lathe.yield %p : tensor<8x96xf32>
    }
    lathe.yield carry(%1 : tensor<8x96xf32>)
  }
  return %0 : tensor<8x96xf32>
}

// Four times three steps are twelve. What the outer loop computes is packed in its steps, if there are enough inner ones.
// Both kernels of the inner loop read the same panels.
// CHECK-LABEL: func.func @nested
// CHECK: [[CUT:%.*]] = lathe.reshape %arg1 to [96, 4, 24]
// CHECK: [[OUTER:%.*]] = lathe.kernel({{.*}} = [[CUT]] : tensor<96x4x24xf32>) -> tensor<4x96x24xf32>
// CHECK: lathe.scan
// CHECK-NOT: -> tensor<4x96x24xf32>
// CHECK: lathe.scan
// CHECK-COUNT-2: = [[OUTER]] : tensor<4x96x24xf32>
// CHECK: return
func.func @nested(%h: tensor<8x96xf32>, %u: tensor<96x96xf32>) -> tensor<8x96xf32> {
  %0 = lathe.scan carry(%s = %h : tensor<8x96xf32>) trip 4 -> (tensor<8x96xf32>) {
    %1 = lathe.kernel(%b = %u : tensor<96x96xf32>) -> tensor<96x96xf32> {
      %p = lathe.neg %b : tensor<96x96xf32>
      lathe.yield %p : tensor<96x96xf32>
    }
    %2 = lathe.scan carry(%t = %s : tensor<8x96xf32>) trip 3 -> (tensor<8x96xf32>) {
      %3 = lathe.kernel(%a = %t : tensor<8x96xf32>, %b = %u : tensor<96x96xf32>) -> tensor<8x96xf32> {
        %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<8x96xf32>, tensor<96x96xf32>
        lathe.yield %p : tensor<8x96xf32>
      }
      %4 = lathe.kernel(%a = %3 : tensor<8x96xf32>, %b = %1 : tensor<96x96xf32>) -> tensor<8x96xf32> {
        %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<8x96xf32>, tensor<96x96xf32>
        lathe.yield %p : tensor<8x96xf32>
      }
      %5 = lathe.kernel(%a = %4 : tensor<8x96xf32>, %b = %u : tensor<96x96xf32>) -> tensor<8x96xf32> {
        %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<8x96xf32>, tensor<96x96xf32>
        %m = lathe.neg %p : tensor<8x96xf32>
        lathe.yield %m : tensor<8x96xf32>
      }
      lathe.yield carry(%5 : tensor<8x96xf32>)
    }
    lathe.yield carry(%2 : tensor<8x96xf32>)
  }
  return %0 : tensor<8x96xf32>
}

// The number of steps of a while is unknown, and so are the rows.
// CHECK-LABEL: func.func @until
// CHECK: [[CUT:%.*]] = lathe.reshape %arg2 to [96, 8, 12]
// CHECK: lathe.kernel({{.*}} = [[CUT]] : tensor<96x8x12xf64>) -> tensor<8x96x12xf64>
// CHECK: lathe.while
// CHECK: lathe.transpose %{{.*}} [1, 0, 2] : tensor<8x96x12xf64>
func.func @until(%h: tensor<?x96xf64> {lathe.dims = #lathe.dims<N>}, %go: tensor<i1>, %u: tensor<96x96xf64>) -> tensor<?x96xf64> {
  %0, %1 = lathe.while carry(%s = %h : tensor<?x96xf64>, %g = %go : tensor<i1>) {
    lathe.condition %g : tensor<i1>
  } do {
    %2 = lathe.kernel(%a = %s : tensor<?x96xf64>, %b = %u : tensor<96x96xf64>) -> tensor<?x96xf64> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<?x96xf64>, tensor<96x96xf64>
      lathe.yield %p : tensor<?x96xf64>
    }
    lathe.yield carry(%2 : tensor<?x96xf64>, %g : tensor<i1>)
  }
  return %0 : tensor<?x96xf64>
}

// CHECK-LABEL: func.func @row
// CHECK: -> tensor<4x96x24xf32>
// CHECK: lathe.scan
func.func @row(%h: tensor<1x96xf32>, %u: tensor<96x96xf32>) -> tensor<1x96xf32> {
  %0 = lathe.scan carry(%s = %h : tensor<1x96xf32>) trip 48 -> (tensor<1x96xf32>) {
    %1 = lathe.kernel(%a = %s : tensor<1x96xf32>, %b = %u : tensor<96x96xf32>) -> tensor<1x96xf32> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<1x96xf32>, tensor<96x96xf32>
      lathe.yield %p : tensor<1x96xf32>
    }
    lathe.yield carry(%1 : tensor<1x96xf32>)
  }
  return %0 : tensor<1x96xf32>
}

// A branch may be taken rarely; a matrix of 9 KB stays in the first-level cache; a matrix may be read as something else, too;
// carries change; and one row gains little in 47 steps.
// CHECK-LABEL: func.func @others
// CHECK-NOT: lathe.pad
// CHECK-NOT: [1, 0, 2]
// CHECK: return
func.func @others(%h: tensor<8x96xf32>, %go: tensor<i1>, %u: tensor<96x96xf32>, %small: tensor<96x24xf32>, %one: tensor<1x96xf32>) -> (tensor<8x96xf32>, tensor<96x96xf32>) {
  %0, %carried = lathe.scan carry(%s = %h : tensor<8x96xf32>, %c = %u : tensor<96x96xf32>) trip 47 -> (tensor<8x96xf32>, tensor<96x96xf32>) {
    %1 = lathe.if %go -> tensor<8x96xf32> {
      %2 = lathe.kernel(%a = %s : tensor<8x96xf32>, %b = %u : tensor<96x96xf32>) -> tensor<8x96xf32> {
        %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<8x96xf32>, tensor<96x96xf32>
        lathe.yield %p : tensor<8x96xf32>
      }
      lathe.yield %2 : tensor<8x96xf32>
    } else {
      lathe.yield %s : tensor<8x96xf32>
    }
    %3 = lathe.kernel(%a = %1 : tensor<8x96xf32>, %b = %small : tensor<96x24xf32>) -> tensor<8x24xf32> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<8x96xf32>, tensor<96x24xf32>
      lathe.yield %p : tensor<8x24xf32>
    }
    %4 = lathe.kernel(%a = %u : tensor<96x96xf32>) -> tensor<96x96xf32> {
      %p = lathe.dot_general %a, %a contract [1] x [0] : tensor<96x96xf32>, tensor<96x96xf32>
      lathe.yield %p : tensor<96x96xf32>
    }
    %5 = lathe.kernel(%a = %1 : tensor<8x96xf32>, %b = %c : tensor<96x96xf32>) -> tensor<8x96xf32> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<8x96xf32>, tensor<96x96xf32>
      lathe.yield %p : tensor<8x96xf32>
    }
    %6 = lathe.kernel(%a = %one : tensor<1x96xf32>, %b = %u : tensor<96x96xf32>) -> tensor<1x96xf32> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<1x96xf32>, tensor<96x96xf32>
      lathe.yield %p : tensor<1x96xf32>
    }
    lathe.yield carry(%5 : tensor<8x96xf32>, %4 : tensor<96x96xf32>)
  }
  return %0, %carried : tensor<8x96xf32>, tensor<96x96xf32>
}
