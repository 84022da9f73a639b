// A step of a loop whose scores are -inf where a mask hides them: its kernels skip the keys behind the last one that a query sees.
// RUN: lathe-opt %s --lathe-skip-keys | FileCheck %s
// CHECK-LABEL: func.func @means
// CHECK-DAG: lathe.skips = "columns"
// CHECK-DAG: lathe.skips = "elements"
// CHECK-DAG: lathe.skips = "depth"
// CHECK-DAG: lathe.reduce min
// CHECK: return
// Where the largest score of a row is an input, a step may hide all of its keys from a query.
// CHECK-LABEL: func.func @cotangents
// CHECK-NOT: lathe.reduce min
// CHECK: lathe.skips = "columns"
// CHECK: lathe.skips = "columns"
// CHECK: lathe.skips = "depth"
// CHECK-NOT: lathe.reduce min

// Nothing is skipped where hidden scores are finite, where another reduction than the maximum reads them, where a function that does not
// turn -inf into 0 follows, and with few keys.
// RUN: sed 's/0xFF800000/-1.0e4/' %s | lathe-opt --lathe-skip-keys | FileCheck %s --check-prefix=ALL
// RUN: sed 's/reduce max/reduce sum/' %s | lathe-opt --lathe-skip-keys | FileCheck %s --check-prefix=ALL
// RUN: sed 's/lathe.exp/lathe.tanh/' %s | lathe-opt --lathe-skip-keys | FileCheck %s --check-prefix=ALL
// RUN: sed 's/256/64/g' %s | lathe-opt --lathe-skip-keys | FileCheck %s --check-prefix=ALL
// ALL-LABEL: func.func @means
// ALL-NOT: lathe.skips
// ALL-LABEL: func.func @cotangents

func.func @means(%q: tensor<4x64x8xf32>, %k: tensor<8x256xf32>, %v: tensor<256x4xf32>, %seen: tensor<4x64x256xi1>) -> tensor<4x64x4xf32> {
  %y = lathe.scan over(%rows = %q : tensor<4x64x8xf32>, %mask = %seen : tensor<4x64x256xi1>) -> (tensor<4x64x4xf32>) {
    %scores = lathe.kernel(%a = %rows : tensor<64x8xf32>, %b = %k : tensor<8x256xf32>, %m = %mask : tensor<64x256xi1>) -> tensor<64x256xf32> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x8xf32>, tensor<8x256xf32>
      %never = lathe.constant dense<0xFF800000> : tensor<64x256xf32>
      %s = lathe.select %m, %p, %never : tensor<64x256xi1>, tensor<64x256xf32>
      lathe.yield %s : tensor<64x256xf32>
    }
    %weights = lathe.kernel(%s = %scores : tensor<64x256xf32>) -> tensor<64x256xf32> attributes {lathe.rows} {
      %max = lathe.reduce max %s dims [1] : tensor<64x256xf32>
      %top = lathe.broadcast %max dims [0] to [64, 256] : tensor<64xf32>
      %less = lathe.sub %s, %top : tensor<64x256xf32>
      %e = lathe.exp %less : tensor<64x256xf32>
      lathe.yield %e : tensor<64x256xf32>
    }
    %mean = lathe.kernel(%a = %weights : tensor<64x256xf32>, %b = %v : tensor<256x4xf32>) -> tensor<64x4xf32> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x256xf32>, tensor<256x4xf32>
      lathe.yield %p : tensor<64x4xf32>
    }
    lathe.yield collect(%mean : tensor<64x4xf32>)
  }
  return %y : tensor<4x64x4xf32>
}

func.func @cotangents(%q: tensor<4x64x8xf32>, %k: tensor<8x256xf32>, %v: tensor<256x4xf32>, %seen: tensor<4x64x256xi1>, %largest: tensor<4x64xf32>) -> tensor<4x64x4xf32> {
  %y = lathe.scan over(%rows = %q : tensor<4x64x8xf32>, %mask = %seen : tensor<4x64x256xi1>, %max = %largest : tensor<4x64xf32>) -> (tensor<4x64x4xf32>) {
    %weights = lathe.kernel(%a = %rows : tensor<64x8xf32>, %b = %k : tensor<8x256xf32>, %m = %mask : tensor<64x256xi1>, %t = %max : tensor<64xf32>) -> tensor<64x256xf32> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x8xf32>, tensor<8x256xf32>
      %never = lathe.constant dense<0xFF800000> : tensor<64x256xf32>
      %s = lathe.select %m, %p, %never : tensor<64x256xi1>, tensor<64x256xf32>
      %top = lathe.broadcast %t dims [0] to [64, 256] : tensor<64xf32>
      %less = lathe.sub %s, %top : tensor<64x256xf32>
      %e = lathe.exp %less : tensor<64x256xf32>
      lathe.yield %e : tensor<64x256xf32>
    }
    %both = lathe.kernel(%a = %rows : tensor<64x8xf32>, %b = %k : tensor<8x256xf32>, %w = %weights : tensor<64x256xf32>) -> tensor<64x256xf32> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x8xf32>, tensor<8x256xf32>
      %c = lathe.mul %p, %w : tensor<64x256xf32>
      lathe.yield %c : tensor<64x256xf32>
    }
    %mean = lathe.kernel(%a = %both : tensor<64x256xf32>, %b = %v : tensor<256x4xf32>) -> tensor<64x4xf32> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x256xf32>, tensor<256x4xf32>
      lathe.yield %p : tensor<64x4xf32>
    }
    lathe.yield collect(%mean : tensor<64x4xf32>)
  }
  return %y : tensor<4x64x4xf32>
}
