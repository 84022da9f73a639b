// RUN: lathe-opt %s --split-input-file --verify-diagnostics --lathe-verify-schedules-cpu=target=x86-64-v3
// Passes over rows, and kept values, that no code obeys. Values are numbered as ops are in these kernels, from 0.

func.func @reductions(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule with 'reduce_in' for 1 reductions; the kernel has 2}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [], keep_in = [], reduce_in = [0], rows = 1, store_in = [2, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @results(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule with 'store_in' for 1 results; the kernel has 2}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [], keep_in = [], reduce_in = [0, 1], rows = 1, store_in = [2], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

// The sum is of differences from the maximum.
func.func @sum_before_maximum(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule with 'reduce_in' 0 for value 4; expected at least 1, because it depends on a reduction of pass 0}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [], keep_in = [], reduce_in = [0, 0], rows = 1, store_in = [1, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @stored_before_sum(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule with 'store_in' 1 for result 0; expected at least 2, because it depends on a reduction of pass 1}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [], keep_in = [], reduce_in = [0, 1], rows = 1, store_in = [1, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @never_stored(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule with 'store_in' -1 for result 0; expected a pass, because it has the shape of rows}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [], keep_in = [], reduce_in = [0, 1], rows = 1, store_in = [-1, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @element_per_row(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule with 'store_in' 2 for result 1; expected -1, because it has one element per row, which is stored after the passes}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [], keep_in = [], reduce_in = [0, 1], rows = 1, store_in = [2, 2], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @idle_pass(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule with 4 passes, of which pass 1 neither reduces nor stores}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [], keep_in = [], reduce_in = [0, 2], rows = 1, store_in = [3, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

// Lanes of a sum follow from the size of its elements, and a pass has the same lanes for all that it does.
func.func @sizes_of_sums(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule with 'reduce_in' 0 for sums of 4 and of 8 bytes; expected passes of their own: the order of a sum depends only on types and positions}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [], keep_in = [], reduce_in = [0, 0], rows = 1, store_in = [1, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.convert %a to f64 : tensor<64x1000xf32>
    %2 = lathe.reduce sum %a dims [1] : tensor<64x1000xf32>
    %3 = lathe.reduce sum %1 dims [1] : tensor<64x1000xf64>
    %4 = lathe.convert %3 to f32 : tensor<64xf64>
    %5 = lathe.add %2, %4 : tensor<64xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.sub %a, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @lists(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule with 'keep' for 1 values and 'keep_in' for 0}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [0], keep_in = [], reduce_in = [0, 1], rows = 1, store_in = [2, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @keeps_reduction(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule that keeps value 1; expected an elementwise value with the shape of rows}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [1], keep_in = [-1], reduce_in = [0, 1], rows = 1, store_in = [2, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @keeps_nothing(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule that keeps value 9; expected an elementwise value with the shape of rows}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [9], keep_in = [-1], reduce_in = [0, 1], rows = 1, store_in = [2, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @keeps_twice(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule that keeps value 0 twice}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [0, 0], keep_in = [-1, -1], reduce_in = [0, 1], rows = 1, store_in = [2, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @keeps_for_nobody(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule that keeps value 6, which only pass 2 needs}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [6], keep_in = [-1], reduce_in = [0, 1], rows = 1, store_in = [2, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @no_such_result(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule that keeps value 0 in result 5; the kernel has 2 results}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [0], keep_in = [5], reduce_in = [0, 1], rows = 1, store_in = [2, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @other_shape(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule that keeps value 0 in result 1; expected a result of the same shape and element type}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [0], keep_in = [1], reduce_in = [0, 1], rows = 1, store_in = [2, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @shared_result(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule that keeps value 3 in result 0, which keeps another value too}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [0, 3], keep_in = [0, 0], reduce_in = [0, 1], rows = 1, store_in = [2, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @own_result(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64x1000xf32>) {
  // expected-error @+1 {{a schedule that keeps value 0 in result 1, which it is itself, so that pass 0 stores it; 'store_in' is 1}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64x1000xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [0], keep_in = [1], reduce_in = [0, 1], rows = 1, store_in = [2, 1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %1 : tensor<64x1000xf32>, tensor<64x1000xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64x1000xf32>
}

// -----

func.func @overwritten_value(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64x1000xf32>) {
  // expected-error @+1 {{a schedule that keeps value 3 in result 1, which pass 1 overwrites; pass 2 needs the value}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64x1000xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [3], keep_in = [1], reduce_in = [0, 1], rows = 1, store_in = [2, 1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %1 : tensor<64x1000xf32>, tensor<64x1000xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64x1000xf32>
}

// -----

// The plan may give the quotients the memory of an input.
func.func @overwritten_input(%x: tensor<64x1000xf32>, %y: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule that writes result 0 in pass 0, although it may have the memory of an input that pass 2 reads}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>, %b = %y : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [0], keep_in = [0], reduce_in = [0, 1], rows = 1, store_in = [2, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %b, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}

// -----

func.func @long_rows(%x: tensor<64x4096xf32>) -> (tensor<64x4096xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule that keeps 16384 bytes of each row outside of results; expected at most 8192}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x4096xf32>) -> (tensor<64x4096xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [0], keep_in = [-1], reduce_in = [0, 1], rows = 1, store_in = [2, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x4096xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x4096xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 4096] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x4096xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x4096xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 4096] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x4096xf32>
    lathe.yield %7, %5 : tensor<64x4096xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x4096xf32>, tensor<64xf32>
}

// -----

func.func @open_rows(%x: tensor<64x?xf32, #lathe.dims<N>>) -> (tensor<64x?xf32, #lathe.dims<N>>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule that keeps value 0 outside of results; expected rows of a size that is known at compile time}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x?xf32, #lathe.dims<N>>) -> (tensor<64x?xf32, #lathe.dims<N>>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [0], keep_in = [-1], reduce_in = [0, 1], rows = 1, store_in = [2, -1], vectors = [4, 4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x?xf32, #lathe.dims<N>>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x?xf32, #lathe.dims<N>>
    %3 = lathe.broadcast %2 dims [0] to [64, N] : tensor<64xf32> -> tensor<64x?xf32, #lathe.dims<N>>
    %4 = lathe.sub %1, %3 : tensor<64x?xf32, #lathe.dims<N>>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x?xf32, #lathe.dims<N>>
    %6 = lathe.broadcast %5 dims [0] to [64, N] : tensor<64xf32> -> tensor<64x?xf32, #lathe.dims<N>>
    %7 = lathe.div %4, %6 : tensor<64x?xf32, #lathe.dims<N>>
    lathe.yield %7, %5 : tensor<64x?xf32, #lathe.dims<N>>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x?xf32, #lathe.dims<N>>, tensor<64xf32>
}

// -----

func.func @memory_for_registers(%x: tensor<64x16xf32>) -> (tensor<64x16xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule with 'in_registers' that keeps values in memory; expected only values that are results, kept in their own memory}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x16xf32>) -> (tensor<64x16xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = true, in_turn = false, keep = [0], keep_in = [-1], reduce_in = [0, 1], rows = 1, store_in = [2, -1], vectors = [2, 2, 2]}>]} {
    %1 = lathe.exp %a : tensor<64x16xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x16xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 16] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x16xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x16xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 16] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x16xf32>
    lathe.yield %7, %5 : tensor<64x16xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x16xf32>, tensor<64xf32>
}

// -----

func.func @vectors(%x: tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) {
  // expected-error @+1 {{a schedule with 'vectors' for 2 passes over a row; 'reduce_in' and 'store_in' have 3}}
  %0:2 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> (tensor<64x1000xf32>, tensor<64xf32>) attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [], keep_in = [], reduce_in = [0, 1], rows = 1, store_in = [2, -1], vectors = [4, 4]}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce max %1 dims [1] : tensor<64x1000xf32>
    %3 = lathe.broadcast %2 dims [0] to [64, 1000] : tensor<64xf32>
    %4 = lathe.sub %1, %3 : tensor<64x1000xf32>
    %5 = lathe.reduce sum %4 dims [1] : tensor<64x1000xf32>
    %6 = lathe.broadcast %5 dims [0] to [64, 1000] : tensor<64xf32>
    %7 = lathe.div %4, %6 : tensor<64x1000xf32>
    lathe.yield %7, %5 : tensor<64x1000xf32>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x1000xf32>, tensor<64xf32>
}
